import { disconnected, ignore, signedOut, takeUp, withJob } from './steps.ts'
import type { Handler } from './types.ts'

export const load: Handler<'LOADED'> = (state, { session, link }) => {
  if (state.job) return ignore(state)
  if (!link) return session ? takeUp(state, session, 'restore') : disconnected(state)
  const next = withJob({ ...state, status: 'AUTHENTICATING', session, live: false }, 'complete')
  return { state: next, effects: [{ type: 'complete', job: next.jobs, request: link }] }
}

export const expiredWhileConnected: Handler<'EXPIRED'> = (state) =>
  disconnected(state, [{ type: 'clearSession' }, { type: 'closeFrame' }])

export const expiredWhileSigningIn: Handler<'EXPIRED'> = (state) =>
  state.live ? { state: { ...state, session: null, live: false }, effects: [{ type: 'clearSession' }] } : ignore(state)

export const disconnect: Handler<'DISCONNECT'> = (state) =>
  disconnected(state, [
    ...signedOut(state),
    { type: 'clearSession' },
    { type: 'signOut', session: state.live ? state.session : null },
    { type: 'clearTemporary' },
  ])

export const destroy: Handler<'DESTROY'> = (state) => disconnected(state, [...signedOut(state), { type: 'closeFrame' }])
