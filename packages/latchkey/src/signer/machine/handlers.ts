import { signedOutError, supersededError } from '../errors.ts'
import { isSameSession, type Session } from '../session/Session.ts'
import type { Call, Effect, Handler, Job, MachineState, Step } from './types.ts'

/** The event says nothing in this status. */
export const ignore = (state: MachineState): Step => ({ state, effects: [] })

export const load: Handler<'LOADED'> = (state, { session, link }) => {
  if (state.job) return ignore(state)
  if (!link) return session ? takeUp(state, session, 'restore') : disconnected(state)
  const next = withJob({ ...state, status: 'AUTHENTICATING', session, live: false }, 'complete')
  return { state: next, effects: [{ type: 'complete', job: next.jobs, request: link }] }
}

export const authenticate: Handler<'AUTHENTICATE'> = (state, { call, request }) => {
  const effects: Effect[] = state.call ? [{ type: 'reject', call: state.call.id, error: supersededError() }] : []
  const base: MachineState = { ...state, status: 'AUTHENTICATING', call }
  if ('bundle' in request) {
    // The frame is about to get another credential.
    const next = withJob({ ...base, live: false }, 'complete')
    return { state: next, effects: [...effects, { type: 'complete', job: next.jobs, request }] }
  }
  if (request.type === 'passkey') {
    const next = withJob(base, 'passkey')
    return { state: next, effects: [...effects, { type: 'usePasskey', job: next.jobs, request }] }
  }
  const next = withJob(base, 'mail')
  return { state: next, effects: [...effects, { type: 'sendMail', job: next.jobs, request }] }
}

export const mailSent: Handler<'MAIL_SENT'> = (state, event) => {
  if (!isCurrent(state, event.job, 'mail')) return ignore(state)
  return {
    state: { ...state, status: 'AWAITING_EMAIL_AUTH', job: null },
    effects: [{ type: 'saveTemporary', orgId: event.orgId }],
  }
}

export const completed: Handler<'COMPLETED'> = (state, event) => {
  if (!isCurrent(state, event.job, 'complete', 'passkey')) return ignore(state)
  const effects: Effect[] = [{ type: 'saveSession', session: event.session }]
  // A mail on its way is not used up by a passkey.
  if (state.job?.kind === 'complete') effects.push({ type: 'clearTemporary' })
  return connected(state, event.session, effects)
}

export const restored: Handler<'RESTORED'> = (state, event) => {
  if (!isCurrent(state, event.job, 'restore', 'adopt')) return ignore(state)
  return connected(state, event.session)
}

export const failed: Handler<'FAILED'> = (state, event) => {
  const { job, call, session } = state
  if (job?.id !== event.job) return ignore(state)
  const told: Effect = call
    ? { type: 'reject', call: call.id, error: event.error }
    : { type: 'report', error: event.error }
  if (job.kind === 'restore' || job.kind === 'adopt') {
    // An adopted session works in the tab that made it: it is not this tab's to clear.
    const clear: Effect[] = job.kind === 'restore' && event.final ? [{ type: 'clearSession' }] : []
    return disconnected(state, [...clear, told])
  }
  // A failed sign-in does not sign out whoever was signed in.
  if (!session) return disconnected(state, [told])
  if (state.live) return { state: { ...state, status: 'CONNECTED', job: null, call: null }, effects: [told] }
  const back = takeUp({ ...state, call: null }, session, 'restore')
  return { state: back.state, effects: [told, ...back.effects] }
}

/** Restoring: another tab signed out, or made another session. */
export const sessionChangedWhileRestoring: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  // Before LOADED there is nothing to compare with, and LOADED reads the store itself.
  if (!state.job) return ignore(state)
  if (!session) return disconnected(state, [{ type: 'closeFrame', forget: false }])
  return isSameSession(session, state.session) ? ignore(state) : takeUp(state, session, 'adopt')
}

export const sessionChangedWhileConnected: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  if (!session) return disconnected(state, [{ type: 'closeFrame', forget: false }])
  if (isSameSession(session, state.session)) return { state: { ...state, session }, effects: [] }
  return takeUp(state, session, 'adopt')
}

export const sessionChangedWhileDisconnected: Handler<'SESSION_CHANGED'> = (state, { session }) =>
  session ? takeUp(state, session, 'adopt') : ignore(state)

/** A sign-in is under way or waits for its mail. */
export const sessionChangedWhileSigningIn: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  const { call, job } = state
  if (!session) {
    if (job?.kind !== 'adopt') return { state: { ...state, session: null, live: false }, effects: [] }
    const effects: Effect[] = call ? [{ type: 'reject', call: call.id, error: signedOutError() }] : []
    return disconnected(state, [...effects, { type: 'closeFrame', forget: false }])
  }
  // Its own bundle is being opened here: that result is the newer one.
  if (job?.kind === 'complete' || isSameSession(session, state.session)) return ignore(state)
  // A prompt is for a passkey of the person's choice, or for a new one: whoever came in meanwhile is not that.
  if (!call || (job?.kind !== 'passkey' && isFor(call, session))) return takeUp(state, session, 'adopt')
  const next = takeUp({ ...state, call: null }, session, 'adopt')
  return { state: next.state, effects: [{ type: 'reject', call: call.id, error: supersededError() }, ...next.effects] }
}

export const expiredWhileConnected: Handler<'EXPIRED'> = (state) =>
  disconnected(state, [{ type: 'clearSession' }, { type: 'closeFrame', forget: false }])

export const expiredWhileSigningIn: Handler<'EXPIRED'> = (state) =>
  state.live ? { state: { ...state, session: null, live: false }, effects: [{ type: 'clearSession' }] } : ignore(state)

export const disconnect: Handler<'DISCONNECT'> = (state) =>
  disconnected(state, [
    ...rejected(state),
    { type: 'clearSession' },
    { type: 'closeFrame', forget: true },
    { type: 'clearTemporary' },
  ])

export const destroy: Handler<'DESTROY'> = (state) =>
  disconnected(state, [...rejected(state), { type: 'closeFrame', forget: false }])

function rejected(state: MachineState): Effect[] {
  return state.call ? [{ type: 'reject', call: state.call.id, error: signedOutError() }] : []
}

function connected(state: MachineState, session: Session, effects: Effect[] = []): Step {
  const { call } = state
  const all = [...effects]
  // The frame may hold the credential of the e-mail session before: a passkey's needs none.
  if (session.type === 'passkey' && state.session?.type === 'email') all.push({ type: 'closeFrame', forget: false })
  if (call) all.push({ type: 'resolve', call: call.id, session })
  return { state: { ...state, status: 'CONNECTED', session, live: true, job: null, call: null }, effects: all }
}

function disconnected(state: MachineState, effects: Effect[] = []): Step {
  return {
    state: { ...state, status: 'DISCONNECTED', session: null, live: false, job: null, call: null },
    effects,
  }
}

/** Takes up a stored session: a passkey's as it is, an e-mail's by opening its bundle again. */
function takeUp(state: MachineState, session: Session, kind: 'restore' | 'adopt'): Step {
  if (session.type === 'passkey') return connected(state, session)
  const status = state.call ? 'AUTHENTICATING' : 'INITIALIZING'
  const next = withJob({ ...state, status, session, live: false }, kind)
  return { state: next, effects: [{ type: 'restore', job: next.jobs, session }] }
}

function withJob(state: MachineState, kind: Job['kind']): MachineState {
  const id = state.jobs + 1
  return { ...state, job: { id, kind }, jobs: id }
}

function isCurrent(state: MachineState, id: number, ...kinds: Job['kind'][]): boolean {
  return state.job?.id === id && kinds.includes(state.job.kind)
}

/** Without an address on either side the session is taken to be the one asked for. */
function isFor(call: Call, session: Session): boolean {
  const { email } = session.user
  return !email || !call.email || email.toLowerCase() === call.email.toLowerCase()
}
