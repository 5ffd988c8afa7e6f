import type { SignerRunner } from '../runner/runMachine.ts'
import { isSameSession } from '../session/Session.ts'
import type { User } from '../types.ts'
import type { ActiveSession } from './getActiveSession.ts'

/** Updates the signed-in user in memory and in storage. Does nothing if the session has ended. Returns the user. */
export function changeUser(
  { context: { store }, dispatch }: SignerRunner,
  active: ActiveSession,
  changes: Partial<Pick<User, 'email' | 'address'>>,
): User {
  const stored = store.read()
  if (stored && isSameSession(stored, active.session)) {
    const session = { ...stored, user: { ...stored.user, ...changes } }
    store.write(session)
    dispatch({ type: 'SESSION_CHANGED', session })
  }
  return { ...active.user, ...changes }
}
