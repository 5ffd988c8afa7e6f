import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/** Sends what the session stamps: at once with a key, one request after another with a passkey. */
export function sendInTurn<result>(
  { passkeys }: SignerContext,
  session: Session,
  request: () => Promise<result>,
): Promise<result> {
  const prompts = session.type === 'passkey' && session.deviceKey === undefined
  return prompts ? passkeys.inTurn(request) : request()
}
