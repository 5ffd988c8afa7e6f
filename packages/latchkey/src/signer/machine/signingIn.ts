import { AbortedError, LinkExpiredError, SupersededError, signedOutError } from '../errors/authErrors.ts'
import type { EmailParameters } from '../types.ts'
import {
  back,
  connected,
  disconnected,
  ignore,
  isCurrent,
  isSameAddress,
  isStoredSessionJob,
  reasons,
  waitOn,
  withJob,
} from './steps.ts'
import type { AuthRequest, Call, Effect, EventOf, Handler, MachineState, Step } from './types.ts'

export const authenticate: Handler<'AUTHENTICATE'> = (state, { call, request }) => {
  const superseded = endCall(state.completing)
  if (request.type === 'email' && !('email' in request)) {
    // The mail before may be in the mailbox already, and the new one, too: what is typed says which.
    const sending = 'code' in request ? findSending(state) : null
    // A call that waits for a mail goes on waiting, one whose mail is being requested only beside a code; any other call is superseded.
    const isMailed =
      state.status === 'AWAITING_EMAIL_AUTH' || (state.job?.kind === 'complete' && state.sending === null)
    const waits = isMailed || sending !== null
    const older = waits ? [] : endCall(state.call?.id)
    const kept = waits ? state.call : null
    // The frame is about to get another credential.
    const base: MachineState = { ...state, live: false, call: kept, completing: call.id }
    const next = { ...withJob({ ...base, status: 'AUTHENTICATING' }, 'complete'), sending }
    return { state: next, effects: [...superseded, ...older, { type: 'complete', job: next.jobs, request }] }
  }
  const base: MachineState = { ...state, status: 'AUTHENTICATING', call, completing: null, mailEndsMs: null }
  const effects = [...superseded, ...supersede(state.call, call)]
  const next = withJob(base, request.type === 'passkey' ? 'passkey' : 'mail')
  return { state: next, effects: [...effects, start(next.jobs, request)] }
}

/** The job that requests a mail at the moment, also beside a code that is tried. */
function findSending({ job, sending }: MachineState): number | null {
  return job?.kind === 'mail' ? job.id : sending
}

function start(job: number, request: Exclude<AuthRequest, { type: 'email' }> | EmailParameters): Effect {
  return request.type === 'passkey' ? { type: 'usePasskey', job, request } : { type: 'sendMail', job, request }
}

/** A newer call for the same address takes the older one along; for another address it takes its place. */
function supersede(older: Call | null, newer: Call): Effect[] {
  if (!older) return []
  const isSame = older.email !== undefined && newer.email !== undefined && isSameAddress(older.email, newer.email)
  return isSame ? [{ type: 'join', call: older.id, to: newer.id }] : endCall(older.id)
}

function endCall(call: number | null | undefined): Effect[] {
  return typeof call === 'number' ? [{ type: 'reject', call, error: new SupersededError() }] : []
}

export const mailSent: Handler<'MAIL_SENT'> = (state, { job, temporary, mailEndsMs }) => {
  if (state.sending === job)
    return { state: { ...state, sending: null, mailEndsMs }, effects: [{ type: 'saveTemporary', temporary }] }
  if (!isCurrent(state, job, 'mail')) return ignore(state)
  return {
    state: { ...state, status: 'AWAITING_EMAIL_AUTH', job: null, mailEndsMs },
    effects: [{ type: 'saveTemporary', temporary }],
  }
}

export const completed: Handler<'COMPLETED'> = (state, { job, session, isAdopted }) => {
  if (!isCurrent(state, job, 'complete', 'passkey')) return ignore(state)
  if (isAdopted) return connected(state, session, 'adopted')
  const effects: Effect[] = [{ type: 'saveSession', session }]
  // A mail on its way is not used up by a passkey.
  if (state.job?.kind === 'complete') effects.push({ type: 'clearTemporary' })
  return connected(state, session, 'signedIn', effects)
}

export const restored: Handler<'RESTORED'> = (state, { job: id, session }) => {
  const { job } = state
  if (job?.id !== id || !isStoredSessionJob(job)) return ignore(state)
  return connected(state, session, reasons[job.kind])
}

export const failed: Handler<'FAILED'> = (state, event) => {
  const { job, call, completing, sending } = state
  // The code of the mail before goes on being tried.
  if (sending === event.job)
    return { state: { ...state, sending: null, call: null }, effects: reportFailure(call?.id, event) }
  if (job?.id !== event.job) return ignore(state)
  if (job.kind === 'complete' && call) return waitOn(state, reportFailure(completing, event))
  const effects = reportFailure(completing ?? call?.id, event)
  if (isStoredSessionJob(job)) {
    // An adopted session works in the tab that made it: it is not this tab's to clear.
    const clear: Effect[] = job.kind !== 'adopt' && event.final ? [{ type: 'clearSession' }] : []
    return disconnected(state, [...clear, ...effects])
  }
  return back(state, effects)
}

function reportFailure(call: number | null | undefined, { error }: EventOf<'FAILED'>): Effect[] {
  return [typeof call === 'number' ? { type: 'reject', call, error } : { type: 'report', error }]
}

export const aborted: Handler<'ABORTED'> = (state, event) => {
  const { call, completing } = state
  const effects: Effect[] = [{ type: 'reject', call: event.call, error: new AbortedError() }]
  if (event.call === completing) return call ? waitOn(state, effects) : back(state, effects)
  if (event.call !== call?.id) return ignore(state)
  // Its bundle or code is being opened for another caller.
  if (completing !== null) return { state: { ...state, call: null, mailEndsMs: null }, effects }
  return back(state, effects)
}

export const mailExpired: Handler<'MAIL_EXPIRED'> = (state) => endWait(state, new LinkExpiredError())

export const mailDropped: Handler<'MAIL_DROPPED'> = (state) => endWait(state, signedOutError())

function endWait(state: MachineState, error: LinkExpiredError | AbortedError): Step {
  return back(state, state.call ? [{ type: 'reject', call: state.call.id, error }] : [])
}
