import type { WebauthnStamp } from '../../wire/custody.ts'
import { toNoUserFoundError } from '../errors/explain.ts'
import type { PasskeyRequest } from '../machine/PasskeyRequest.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import { toDeviceSession } from './toDeviceSession.ts'

/**
 * Asks for any passkey of this site, and the service whose it is: the root organization stands for the one that is not
 * known yet. Nobody: `NO_USER_FOUND`.
 */
export async function logInWithPasskey(
  context: SignerContext,
  request: PasskeyRequest & { createNew: false },
  signal: AbortSignal,
): Promise<Session> {
  const { client, passkeys, rootOrgId, sessionMs, now } = context
  const root = await rootOrgId()
  const stamp = request.stamp ?? passkeys.stamper({ signal })
  let credentialId: string | undefined
  const read = async (body: string) => {
    const made = await stamp(body)
    credentialId = (JSON.parse(made.stampHeaderValue) as WebauthnStamp).credentialId
    return made
  }
  const { email, orgId, address, userId } = await client.whoami(root, read, signal).catch((error: unknown) => {
    throw toNoUserFoundError(error)
  })
  const session: Session = {
    type: 'passkey',
    user: { ...(email === undefined ? {} : { email }), orgId, address, userId, credentialId },
    expirationDateMs: now() + sessionMs,
  }
  return toDeviceSession(context, session, passkeys.stamper({ credentialId, signal }), signal)
}
