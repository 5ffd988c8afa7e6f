import type { WebauthnStamp } from '../../wire/custody.ts'
import { toNoUserFoundError } from '../errors.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/**
 * Asks for any passkey of this site, and the service whose it is: the root organization stands for the one that is not
 * known yet. Nobody: `NO_USER_FOUND`.
 */
export async function logInWithPasskey(context: SignerContext, signal: AbortSignal): Promise<Session> {
  const { client, passkeys, rootOrgId, sessionMs, now } = context
  const root = await rootOrgId()
  const stamp = passkeys.stamper({ signal })
  let credentialId: string | undefined
  const user = await client
    .whoami(
      root,
      async (body) => {
        const made = await stamp(body)
        credentialId = (JSON.parse(made.stampHeaderValue) as WebauthnStamp).credentialId
        return made
      },
      signal,
    )
    .catch((error: unknown) => {
      throw toNoUserFoundError(error)
    })
  const { email, orgId, address, userId } = user
  return {
    type: 'passkey',
    user: { ...(email === undefined ? {} : { email }), orgId, address, userId, credentialId },
    expirationDateMs: now() + sessionMs,
  }
}
