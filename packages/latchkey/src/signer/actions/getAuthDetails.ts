import { notAuthenticatedError } from '../errors.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import type { User } from '../types.ts'

/**
 * The user signed in now. Reads the store too, so that a session past its expiry ends here even when no timer fired
 * (a laptop asleep). Without a user: `SIGNER_NOT_AUTHENTICATED`.
 */
export function getAuthDetails(context: SignerContext, runner: SignerRunner): User {
  if (runner.state().status === 'CONNECTED' && !context.store.read()) runner.dispatch({ type: 'EXPIRED' })
  const { status, session } = runner.state()
  if (status !== 'CONNECTED' || !session) throw notAuthenticatedError()
  return session.user
}
