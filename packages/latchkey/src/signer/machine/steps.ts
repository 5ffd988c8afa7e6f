import { SupersededError, signedOutError } from '../errors/authErrors.ts'
import type { Session } from '../session/Session.ts'
import type { ConnectedReason } from '../types.ts'
import type { Call, Effect, Job, MachineState, Step } from './types.ts'

/** The event means nothing in this status. */
export const ignore = (state: MachineState): Step => ({ state, effects: [] })

const settled = { job: null, sending: null, call: null, completing: null, mailEndsMs: null } as const

export function connected(
  state: MachineState,
  session: Session,
  reason: ConnectedReason,
  before: readonly Effect[] = [],
): Step {
  const { call, completing } = state
  const effects = [...before]
  // The frame may hold the credential of the e-mail session before: a passkey's needs none.
  if (session.type === 'passkey' && state.session?.type === 'email') effects.push({ type: 'closeFrame' })
  if (completing !== null) effects.push({ type: 'resolve', call: completing, session })
  if (call && isFor(call, session)) effects.push({ type: 'resolve', call: call.id, session })
  else if (call) effects.push({ type: 'reject', call: call.id, error: new SupersededError() })
  return { state: { ...state, ...settled, status: 'CONNECTED', session, reason, live: true }, effects }
}

export function disconnected(state: MachineState, effects: readonly Effect[] = []): Step {
  return { state: { ...state, ...settled, status: 'DISCONNECTED', session: null, reason: null, live: false }, effects }
}

/** A job that takes up a stored session. */
export type StoredSessionJob = 'restore' | 'resume' | 'adopt'

/** How a session came into use when each of those jobs took it up. */
export const reasons = { restore: 'restored', resume: 'resumed', adopt: 'adopted' } as const satisfies Record<
  StoredSessionJob,
  ConnectedReason
>

export function isStoredSessionJob(job: Job): job is Job & { kind: StoredSessionJob } {
  return job.kind in reasons
}

/** Takes up a stored session: a passkey's as it is, an e-mail's by opening its bundle again. */
export function takeUp(state: MachineState, session: Session, kind: StoredSessionJob): Step {
  if (session.type === 'passkey') return connected(state, session, reasons[kind])
  const status = state.call ? 'AUTHENTICATING' : 'INITIALIZING'
  const next = withJob({ ...state, status, session, live: false, mailEndsMs: null }, kind)
  return { state: next, effects: [{ type: 'restore', job: next.jobs, session }] }
}

/** A sign-in failed or was cancelled: the session before it, if there is one, is used again. */
export function back(state: MachineState, effects: readonly Effect[]): Step {
  const { session, live } = state
  if (!session) return disconnected(state, effects)
  const base: MachineState = { ...state, ...settled }
  if (live) return { state: { ...base, status: 'CONNECTED', reason: 'resumed' }, effects }
  const again = takeUp(base, session, 'resume')
  return { state: again.state, effects: [...effects, ...again.effects] }
}

/** A bundle or code failed: the mail may still be used otherwise, or is still being requested. */
export function waitOn(state: MachineState, effects: readonly Effect[]): Step {
  const { sending } = state
  if (sending !== null)
    return { state: { ...state, job: { id: sending, kind: 'mail' }, sending: null, completing: null }, effects }
  return { state: { ...state, status: 'AWAITING_EMAIL_AUTH', job: null, completing: null }, effects }
}

export function withJob(state: MachineState, kind: Job['kind']): MachineState {
  const id = state.jobs + 1
  return { ...state, reason: null, job: { id, kind }, sending: null, jobs: id }
}

export function isCurrent(state: MachineState, id: number, ...kinds: Job['kind'][]): boolean {
  return state.job?.id === id && kinds.includes(state.job.kind)
}

/** Whether a call may be resolved with a session: without an address on either side it may. */
export function isFor(call: Call, session: Session): boolean {
  const { email } = session.user
  return !email || !call.email || isSameAddress(email, call.email)
}

export function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Rejects every call that waits. */
export function signedOut({ call, completing }: MachineState): Effect[] {
  const waiting = [call?.id, completing].filter((id) => typeof id === 'number')
  return waiting.map((id) => ({ type: 'reject', call: id, error: signedOutError() }))
}
