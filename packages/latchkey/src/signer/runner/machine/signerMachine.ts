import type { EmailParameters } from '../../AuthParameters.ts'
import { AbortedError, LinkExpiredError, SupersededError, signedOutError } from '../../errors/authErrors.ts'
import { isSameSession, type Session } from '../../session/Session.ts'
import type { ConnectedReason, SignerStatus } from '../../types.ts'
import type {
  AuthRequest,
  Call,
  Effect,
  EventOf,
  EventType,
  Handler,
  Job,
  MachineEvent,
  MachineState,
  Step,
} from './types.ts'

/** Returns the next state and its effects. Pure, so that tests can cover every path without a page. */
export function transition(state: MachineState, event: MachineEvent): Step {
  const handler = signerTable[state.status][event.type] as Handler<EventType>
  return handler(state, event)
}

// Handlers of events that sign in.

const authenticate: Handler<'AUTHENTICATE'> = (state, { call, request }) => {
  const superseded = endCall(state.completing)
  if (request.type === 'email' && !('email' in request)) {
    // While another e-mail is being requested, the user may type the code of the previous e-mail.
    const sending = 'code' in request ? findSending(state) : null
    // A call that waits for an e-mail continues to wait. A call whose e-mail is still being requested continues only if
    // the new call has a code. Any other call is superseded.
    const isMailed =
      state.status === 'AWAITING_EMAIL_AUTH' || (state.job?.kind === 'complete' && state.sending === null)
    const waits = isMailed || sending !== null
    const older = waits ? [] : endCall(state.call?.id)
    const kept = waits ? state.call : null
    // The sign-in replaces the frame's credential.
    const base: MachineState = { ...state, live: false, call: kept, completing: call.id }
    const next = { ...withJob({ ...base, status: 'AUTHENTICATING' }, 'complete'), sending }
    return { state: next, effects: [...superseded, ...older, { type: 'complete', job: next.jobs, request }] }
  }
  // A provider's session replaces the frame's credential.
  const live = state.live && request.type !== 'oauth'
  const base: MachineState = { ...state, status: 'AUTHENTICATING', live, call, completing: null, mailEndsMs: null }
  const effects = [...superseded, ...supersede(state.call, call)]
  const next = withJob(base, request.type === 'email' ? 'mail' : request.type)
  return { state: next, effects: [...effects, start(next.jobs, request)] }
}

/** Returns the id of the job that is requesting an e-mail, even while a code is being tried. */
function findSending({ job, sending }: MachineState): number | null {
  return job?.kind === 'mail' ? job.id : sending
}

function start(job: number, request: Exclude<AuthRequest, { type: 'email' }> | EmailParameters): Effect {
  if (request.type === 'oauth') return { type: 'useProvider', job, request }
  return request.type === 'passkey' ? { type: 'usePasskey', job, request } : { type: 'sendMail', job, request }
}

/** Joins an older call to the newer call if both have the same e-mail address; otherwise supersedes the older call. */
function supersede(older: Call | null, newer: Call): Effect[] {
  if (!older) return []
  const isSame = older.email !== undefined && newer.email !== undefined && isSameAddress(older.email, newer.email)
  return isSame ? [{ type: 'join', call: older.id, to: newer.id }] : endCall(older.id)
}

function endCall(call: number | null | undefined): Effect[] {
  return typeof call === 'number' ? [{ type: 'reject', call, error: new SupersededError() }] : []
}

const mailSent: Handler<'MAIL_SENT'> = (state, { job, temporary, mailEndsMs }) => {
  if (state.sending === job)
    return { state: { ...state, sending: null, mailEndsMs }, effects: [{ type: 'saveTemporary', temporary }] }
  if (!isCurrent(state, job, 'mail')) return ignore(state)
  return {
    state: { ...state, status: 'AWAITING_EMAIL_AUTH', job: null, mailEndsMs },
    effects: [{ type: 'saveTemporary', temporary }],
  }
}

const completed: Handler<'COMPLETED'> = (state, { job, session, isAdopted }) => {
  if (!isCurrent(state, job, 'complete', 'passkey', 'oauth')) return ignore(state)
  if (isAdopted) return connected(state, session, 'adopted')
  const effects: Effect[] = [{ type: 'saveSession', session }]
  // A passkey sign-in does not use up a pending e-mail.
  if (state.job?.kind === 'complete') effects.push({ type: 'clearTemporary' })
  return connected(state, session, 'signedIn', effects)
}

const factor: Handler<'FACTOR'> = (state, { job, isAwaited }) =>
  isCurrent(state, job, 'complete', 'oauth')
    ? { state: { ...state, status: isAwaited ? 'AWAITING_MFA_AUTH' : 'AUTHENTICATING' }, effects: [] }
    : ignore(state)

const restored: Handler<'RESTORED'> = (state, { job: id, session }) => {
  const { job } = state
  if (job?.id !== id || !isStoredSessionJob(job)) return ignore(state)
  return connected(state, session, reasons[job.kind])
}

const failed: Handler<'FAILED'> = (state, event) => {
  const { job, call, completing, sending } = state
  // A code of the previous e-mail is still being tried.
  if (sending === event.job)
    return { state: { ...state, sending: null, call: null }, effects: reportFailure(call?.id, event) }
  if (job?.id !== event.job) return ignore(state)
  if (job.kind === 'complete' && call) return waitOn(state, reportFailure(completing, event))
  const effects = reportFailure(completing ?? call?.id, event)
  if (isStoredSessionJob(job)) {
    // An adopted session belongs to the tab that created it, so this tab must not clear it.
    const clear: Effect[] = job.kind !== 'adopt' && event.final ? [{ type: 'clearSession' }] : []
    return disconnected(state, [...clear, ...effects])
  }
  return back(state, effects)
}

function reportFailure(call: number | null | undefined, { error }: EventOf<'FAILED'>): Effect[] {
  return [typeof call === 'number' ? { type: 'reject', call, error } : { type: 'report', error }]
}

const aborted: Handler<'ABORTED'> = (state, event) => {
  const { call, completing } = state
  const effects: Effect[] = [{ type: 'reject', call: event.call, error: new AbortedError() }]
  if (event.call === completing) return call ? waitOn(state, effects) : back(state, effects)
  if (event.call !== call?.id) return ignore(state)
  // Another caller's bundle or code is still being tried.
  if (completing !== null) return { state: { ...state, call: null, mailEndsMs: null }, effects }
  return back(state, effects)
}

const mailExpired: Handler<'MAIL_EXPIRED'> = (state) => endWait(state, new LinkExpiredError())

const mailDropped: Handler<'MAIL_DROPPED'> = (state) => endWait(state, signedOutError())

function endWait(state: MachineState, error: LinkExpiredError | AbortedError): Step {
  return back(state, state.call ? [{ type: 'reject', call: state.call.id, error }] : [])
}

// Handlers of reading the page and of a session's end.

const load: Handler<'LOADED'> = (state, { session, link }) => {
  if (state.job) return ignore(state)
  if (!link) return session ? takeUp(state, session, 'restore') : disconnected(state)
  const next = withJob({ ...state, status: 'AUTHENTICATING', session, live: false }, 'complete')
  return { state: next, effects: [{ type: 'complete', job: next.jobs, request: link }] }
}

const expiredWhileConnected: Handler<'EXPIRED'> = (state) =>
  disconnected(state, [{ type: 'clearSession' }, { type: 'closeFrame' }])

const expiredWhileSigningIn: Handler<'EXPIRED'> = (state) =>
  state.live ? { state: { ...state, session: null, live: false }, effects: [{ type: 'clearSession' }] } : ignore(state)

const disconnect: Handler<'DISCONNECT'> = (state) =>
  disconnected(state, [
    ...signedOut(state),
    { type: 'clearSession' },
    { type: 'signOut', session: state.live ? state.session : null },
    { type: 'clearTemporary' },
  ])

const destroy: Handler<'DESTROY'> = (state) => disconnected(state, [...signedOut(state), { type: 'closeFrame' }])

// Another tab signed in or out while this tab restores its session.

const sessionChangedWhileRestoring: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  // Before LOADED there is no session to compare with. LOADED reads the store itself.
  if (!state.job) return ignore(state)
  if (!session) return disconnected(state, [{ type: 'closeFrame' }])
  return isSameSession(session, state.session) ? ignore(state) : takeUp(state, session, 'adopt')
}

const sessionChangedWhileConnected: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  if (!session) return disconnected(state, [{ type: 'closeFrame' }])
  if (isSameSession(session, state.session)) return { state: { ...state, session }, effects: [] }
  return takeUp(state, session, 'adopt')
}

const sessionChangedWhileDisconnected: Handler<'SESSION_CHANGED'> = (state, { session }) =>
  session ? takeUp(state, session, 'adopt') : ignore(state)

/** Another tab's session changed while this tab signs in or waits for an e-mail. */
const sessionChangedWhileSigningIn: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  const { call, job } = state
  if (!session) {
    if (job?.kind !== 'adopt') return { state: { ...state, session: null, live: false }, effects: [] }
    return disconnected(state, [...signedOut(state), { type: 'closeFrame' }])
  }
  // This tab is using its own bundle, whose session is newer.
  if (job?.kind === 'complete' || isSameSession(session, state.session)) return ignore(state)
  // The user is picking a passkey or provider account, so another tab's session does not resolve the call.
  const isPicked = job?.kind === 'passkey' || job?.kind === 'oauth'
  if (!call || (!isPicked && isFor(call, session))) return takeUp(state, session, 'adopt')
  const next = takeUp({ ...state, call: null }, session, 'adopt')
  return {
    state: next.state,
    effects: [{ type: 'reject', call: call.id, error: new SupersededError() }, ...next.effects],
  }
}

// Steps shared by several events.

const ignore = (state: MachineState): Step => ({ state, effects: [] })

const settled = { job: null, sending: null, call: null, completing: null, mailEndsMs: null } as const

function connected(
  state: MachineState,
  session: Session,
  reason: ConnectedReason,
  before: readonly Effect[] = [],
): Step {
  const { call, completing } = state
  const effects = [...before]
  // Closes a frame with the credential of the previous e-mail session. A passkey session needs no frame.
  if (session.type === 'passkey' && state.session?.type === 'email') effects.push({ type: 'closeFrame' })
  if (completing !== null) effects.push({ type: 'resolve', call: completing, session })
  if (call && isFor(call, session)) effects.push({ type: 'resolve', call: call.id, session })
  else if (call) effects.push({ type: 'reject', call: call.id, error: new SupersededError() })
  return { state: { ...state, ...settled, status: 'CONNECTED', session, reason, live: true }, effects }
}

function disconnected(state: MachineState, effects: readonly Effect[] = []): Step {
  return { state: { ...state, ...settled, status: 'DISCONNECTED', session: null, reason: null, live: false }, effects }
}

type StoredSessionJob = 'restore' | 'resume' | 'adopt'

/** Connected reason of each job that activates a stored session. */
const reasons = { restore: 'restored', resume: 'resumed', adopt: 'adopted' } as const satisfies Record<
  StoredSessionJob,
  ConnectedReason
>

function isStoredSessionJob(job: Job): job is Job & { kind: StoredSessionJob } {
  return job.kind in reasons
}

/** Activates a stored session: a passkey session immediately, an e-mail session by decrypting its bundle again. */
function takeUp(state: MachineState, session: Session, kind: StoredSessionJob): Step {
  if (session.type === 'passkey') return connected(state, session, reasons[kind])
  const status = state.call ? 'AUTHENTICATING' : 'INITIALIZING'
  const next = withJob({ ...state, status, session, live: false, mailEndsMs: null }, kind)
  return { state: next, effects: [{ type: 'restore', job: next.jobs, session }] }
}

/** Returns to the previous session, if any, after a failed or cancelled sign-in. */
function back(state: MachineState, effects: readonly Effect[]): Step {
  const { session, live } = state
  if (!session) return disconnected(state, effects)
  const base: MachineState = { ...state, ...settled }
  if (live) return { state: { ...base, status: 'CONNECTED', reason: 'resumed' }, effects }
  const again = takeUp(base, session, 'resume')
  return { state: again.state, effects: [...effects, ...again.effects] }
}

/** Continues to wait after a bundle or code failed. The e-mail may still be usable, or is still being requested. */
function waitOn(state: MachineState, effects: readonly Effect[]): Step {
  const { sending } = state
  if (sending !== null)
    return { state: { ...state, job: { id: sending, kind: 'mail' }, sending: null, completing: null }, effects }
  return { state: { ...state, status: 'AWAITING_EMAIL_AUTH', job: null, completing: null }, effects }
}

function withJob(state: MachineState, kind: Job['kind']): MachineState {
  const id = state.jobs + 1
  return { ...state, reason: null, job: { id, kind }, sending: null, jobs: id }
}

function isCurrent(state: MachineState, id: number, ...kinds: Job['kind'][]): boolean {
  return state.job?.id === id && kinds.includes(state.job.kind)
}

/** Checks whether a session may resolve a call: both have the same e-mail address, or one has none. */
function isFor(call: Call, session: Session): boolean {
  const { email } = session.user
  return !email || !call.email || isSameAddress(email, call.email)
}

function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function signedOut({ call, completing }: MachineState): Effect[] {
  const waiting = [call?.id, completing].filter((id) => typeof id === 'number')
  return waiting.map((id) => ({ type: 'reject', call: id, error: signedOutError() }))
}

export type SignerTable = { readonly [status in SignerStatus]: { readonly [type in EventType]: Handler<type> } }

const always = { AUTHENTICATE: authenticate, DISCONNECT: disconnect, DESTROY: destroy } as const
/** Job events, ignored in statuses without a job. */
const idle = {
  LOADED: ignore,
  MAIL_SENT: ignore,
  COMPLETED: ignore,
  RESTORED: ignore,
  FACTOR: ignore,
  FAILED: ignore,
  ABORTED: ignore,
  MAIL_EXPIRED: ignore,
  MAIL_DROPPED: ignore,
  EXPIRED: ignore,
} as const

/** The job continues while it waits for the second factor. */
const authenticating = {
  ...idle,
  ...always,
  MAIL_SENT: mailSent,
  COMPLETED: completed,
  RESTORED: restored,
  FACTOR: factor,
  FAILED: failed,
  ABORTED: aborted,
  SESSION_CHANGED: sessionChangedWhileSigningIn,
  EXPIRED: expiredWhileSigningIn,
} as const

/** Handler of each event in each status. Only these handlers change the signer's status. */
export const signerTable: SignerTable = {
  INITIALIZING: {
    ...idle,
    ...always,
    LOADED: load,
    RESTORED: restored,
    FAILED: failed,
    SESSION_CHANGED: sessionChangedWhileRestoring,
  },
  AUTHENTICATING: authenticating,
  AWAITING_MFA_AUTH: authenticating,
  AWAITING_EMAIL_AUTH: {
    ...idle,
    ...always,
    ABORTED: aborted,
    MAIL_EXPIRED: mailExpired,
    MAIL_DROPPED: mailDropped,
    SESSION_CHANGED: sessionChangedWhileSigningIn,
    EXPIRED: expiredWhileSigningIn,
  },
  CONNECTED: {
    ...idle,
    ...always,
    SESSION_CHANGED: sessionChangedWhileConnected,
    EXPIRED: expiredWhileConnected,
  },
  DISCONNECTED: {
    ...idle,
    ...always,
    SESSION_CHANGED: sessionChangedWhileDisconnected,
  },
}

/** Initial state, before the page has been read. */
export const initialState: MachineState = {
  status: 'INITIALIZING',
  session: null,
  reason: null,
  live: false,
  job: null,
  sending: null,
  call: null,
  completing: null,
  mailEndsMs: null,
  jobs: 0,
}
