import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/openStore.ts'
import type { CredentialTable } from '../../../platform/database/organizationTables.ts'
import { custodyError } from '../../custodyError.ts'

export declare namespace findOwnCredentials {
  type Parameters = { orgId: string; userId: string; kind: CredentialTable['kind']; ids: readonly string[] }
  type ReturnType = Pick<Selectable<CredentialTable>, 'id' | 'name' | 'expires_at'>[]
}

/**
 * Returns the credentials with the given ids.
 * @throws `NOT_FOUND` unless all of them belong to the user.
 */
export async function findOwnCredentials(
  db: Db,
  { orgId, userId, kind, ids }: findOwnCredentials.Parameters,
): Promise<findOwnCredentials.ReturnType> {
  const rows = await db
    .selectFrom('credentials')
    .select(['id', 'name', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute()
  const missing = ids.find((id) => !rows.some((row) => row.id === id))
  if (missing === undefined) return rows
  throw custodyError(
    'NOT_FOUND',
    `The user has no ${kind === 'passkey' ? 'passkey' : 'API key'} with the id ${missing}.`,
  )
}

/**
 * Refuses a change that leaves the user without a sign-in method. Call it after removing credentials or an address.
 * Sign-in methods are passkeys, API keys without expiry or scope, identity providers and proven e-mail addresses.
 * Sessions do not count, since they expire. Unproven addresses do not count, since they may belong to someone else.
 *
 * @throws `REQUEST_INVALID`.
 */
export async function assertSignInRemains(db: Db, { orgId, userId }: { orgId: string; userId: string }): Promise<void> {
  // Locks the user, because two concurrent removals could otherwise remove the last two sign-in methods.
  const user = await db
    .selectFrom('users')
    .select(['email', 'email_claimed'])
    .where('id', '=', userId)
    .where('org_id', '=', orgId)
    .forUpdate()
    .executeTakeFirst()
  if (user?.email && !user.email_claimed) return
  const held = await db
    .selectFrom('credentials')
    .select('id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .where('scope', 'is', null)
    .executeTakeFirst()
  if (held) return
  const provider = await db
    .selectFrom('oauth_providers')
    .select('id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (provider) return
  throw custodyError(
    'REQUEST_INVALID',
    'This would leave the user without a way to sign in. Add a passkey first, or sign in by an email to the new address.',
  )
}
