import { randomUUID } from 'node:crypto'
import type { KeyScope } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import type { CredentialType } from '../../platform/database/organizationTables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import type { CustodyContext } from '../deps.ts'
import { type Covered, mac } from '../macs.ts'

export declare namespace addApiKey {
  type Parameters = {
    userId: string
    orgId: string
    name: string
    /** Compressed point, lower-case hex. */
    publicKey: string
    /** @default 'CREDENTIAL_TYPE_API_KEY_P256' */
    type?: Exclude<CredentialType, 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'> | undefined
    /** @default never expires */
    expiresAt?: Date | undefined
    /**
     * Credential that requests a session; the session inherits its `authenticatedAt`.
     * @default the user is present now
     */
    by?: { authenticatedAt: Date | null } | undefined
    /** Limits what the key may do. @default everything that its user may do */
    scope?: KeyScope | undefined
  }
}

/**
 * Adds an API key to a user and returns the credential's id. A key can be in an organization only once, and a revoked
 * key cannot be added again.
 *
 * @throws `CREDENTIAL_CONFLICT`.
 */
export async function addApiKey(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: addApiKey.Parameters,
): Promise<string> {
  const { type = 'CREDENTIAL_TYPE_API_KEY_P256', expiresAt = null, by } = parameters
  const now = new Date(context.now())
  const identity: Covered<'credentials'> = {
    id: randomUUID(),
    user_id: parameters.userId,
    org_id: parameters.orgId,
    kind: 'api_key',
    type,
    public_key: parameters.publicKey,
    credential_id: null,
    rp_id: null,
    confirmed_at: null,
    scope: parameters.scope ? JSON.stringify(parameters.scope) : null,
    counter: '0',
    email_session: type === 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
    authenticated_at: expiresAt ? (by ? by.authenticatedAt : now) : null,
    expires_at: expiresAt,
    revoked_at: null,
    created_at: now,
  }
  const inserted = await db
    .insertInto('credentials')
    .values({ ...identity, name: parameters.name, mac: mac(context.macKey, 'credentials', identity) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return inserted.id
  throw new ServerError('This API key is registered already, or was revoked. Make a new key pair.', {
    code: 'CREDENTIAL_CONFLICT',
    status: 400,
  })
}
