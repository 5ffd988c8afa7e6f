import { NotAuthenticatedError } from '../errors/authErrors.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import type { Session } from './Session.ts'

/**
 * The session in use. Reads the store too, so that one past its expiry ends here even when no timer fired (a laptop
 * asleep). Without one: `SIGNER_NOT_AUTHENTICATED`.
 */
export function getSession(context: SignerContext, runner: SignerRunner): Session {
  if (runner.state().status === 'CONNECTED' && !context.store.read()) runner.dispatch({ type: 'EXPIRED' })
  const { status, session } = runner.state()
  if (status !== 'CONNECTED' || !session) throw new NotAuthenticatedError()
  return session
}
