import { SupersededError } from '../errors/authErrors.ts'
import { isSameSession } from '../session/Session.ts'
import { disconnected, ignore, isFor, signedOut, takeUp } from './steps.ts'
import type { Handler } from './types.ts'

// Another tab of this browser signed in or out.

export const sessionChangedWhileRestoring: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  // Before LOADED there is nothing to compare with, and LOADED reads the store itself.
  if (!state.job) return ignore(state)
  if (!session) return disconnected(state, [{ type: 'closeFrame' }])
  return isSameSession(session, state.session) ? ignore(state) : takeUp(state, session, 'adopt')
}

export const sessionChangedWhileConnected: Handler<'SESSION_CHANGED'> = (state, { session }) => {
  if (!session) return disconnected(state, [{ type: 'closeFrame' }])
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
    return disconnected(state, [...signedOut(state), { type: 'closeFrame' }])
  }
  // Its own bundle is being opened here: that result is the newer one.
  if (job?.kind === 'complete' || isSameSession(session, state.session)) return ignore(state)
  // A prompt is for a passkey of the person's choice, or for a new one: a session of another tab is neither.
  if (!call || (job?.kind !== 'passkey' && isFor(call, session))) return takeUp(state, session, 'adopt')
  const next = takeUp({ ...state, call: null }, session, 'adopt')
  return {
    state: next.state,
    effects: [{ type: 'reject', call: call.id, error: new SupersededError() }, ...next.effects],
  }
}
