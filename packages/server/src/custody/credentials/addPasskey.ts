import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import type { verifyRegistration } from '../../webauthn/verifyRegistration.ts'
import { custodyError } from '../custodyError.ts'
import { maxPasskeys } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { type Covered, mac } from '../macs.ts'

export declare namespace addPasskey {
  type Parameters = {
    userId: string
    orgId: string
    name: string
    /** `AUTHENTICATOR_TRANSPORT_*`. */
    transports: readonly string[]
    registration: verifyRegistration.ReturnType
    /** Whether the user confirmed the passkey by e-mail. */
    isConfirmed: boolean
  }
}

/**
 * Adds a verified passkey to a user and returns the credential's id. A credential id can be registered once (WebAuthn
 * L3 § 7.1 step 26).
 *
 * @throws `CREDENTIAL_CONFLICT`, `REQUEST_INVALID`.
 */
export async function addPasskey(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: addPasskey.Parameters,
): Promise<string> {
  const { userId, orgId, name, transports, registration, isConfirmed } = parameters
  // The lock ensures that concurrent additions see each other.
  await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
  const held = await db
    .selectFrom('credentials')
    .select('id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'passkey')
    .where('revoked_at', 'is', null)
    .execute()
  if (held.length >= maxPasskeys)
    throw custodyError('REQUEST_INVALID', `A user can hold ${maxPasskeys} passkeys, and this one does.`)
  const identity: Covered<'credentials'> = {
    id: randomUUID(),
    user_id: userId,
    org_id: orgId,
    kind: 'passkey',
    public_key: registration.publicKey,
    credential_id: registration.credentialId,
    rp_id: registration.rpId,
    type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
    counter: String(registration.signCount),
    email_session: false,
    authenticated_at: null,
    expires_at: null,
    revoked_at: null,
    created_at: new Date(context.now()),
    scope: null,
    confirmed_at: isConfirmed ? new Date(context.now()) : null,
  }
  const inserted = await db
    .insertInto('credentials')
    .values({
      ...identity,
      name,
      transports: [...transports],
      aaguid: registration.aaguid,
      mac: mac(context.macKey, 'credentials', identity),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return inserted.id
  throw new ServerError('This passkey is registered already. Sign in with it, or use another one.', {
    code: 'CREDENTIAL_CONFLICT',
    status: 400,
  })
}
