import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/** Sends what the session stamps: at once with the frame's key, one request after another with a passkey. */
export function sendInTurn<result>(
  { passkeys }: SignerContext,
  session: Session,
  request: () => Promise<result>,
): Promise<result> {
  return session.type === 'email' ? request() : passkeys.inTurn(request)
}
