import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { OauthProviderTable } from '../../platform/database/oauthProviderTable.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { maxOauthProviders } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted, mac } from '../macs.ts'
import type { OidcIdentity } from './verifyIdToken.ts'

type Row = Selectable<OauthProviderTable>
type Context = Pick<CustodyContext, 'macKey' | 'logger' | 'now'>

export declare namespace addProvider {
  type Parameters = { orgId: string; userId: string; parentOrgId: string; name: string; identity: OidcIdentity }
}

/**
 * Adds an identity to a user and returns its id. Within a parent organization, an identity belongs to one user.
 *
 * @throws `CREDENTIAL_CONFLICT`, `REQUEST_INVALID`.
 */
export async function addProvider(context: Context, db: Db, parameters: addProvider.Parameters): Promise<string> {
  const { orgId, userId, parentOrgId, name, identity } = parameters
  // Locked, so that concurrent additions cannot exceed the maximum number of identities.
  await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
  const held = await listProviders(context, db, { orgId, userId })
  if (held.length >= maxOauthProviders)
    throw custodyError('REQUEST_INVALID', `A user can hold ${maxOauthProviders} providers, and this one does.`)
  const row = {
    id: randomUUID(),
    user_id: userId,
    org_id: orgId,
    parent_org_id: parentOrgId,
    issuer: identity.issuer,
    audience: identity.audience,
    subject: identity.subject,
    revoked_at: null,
  }
  const inserted = await db
    .insertInto('oauth_providers')
    .values({ ...row, name, created_at: new Date(context.now()), mac: mac(context.macKey, 'oauth_providers', row) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return inserted.id
  throw custodyError('CREDENTIAL_CONFLICT', 'This identity belongs to an account already. Sign in with it instead.')
}

/** Returns the identities of an organization's users, or of one user, oldest first. */
export async function listProviders(
  context: Context,
  db: Db,
  { orgId, userId }: { orgId: string; userId?: string | undefined },
): Promise<Row[]> {
  const query = db.selectFrom('oauth_providers').selectAll().where('org_id', '=', orgId).where('revoked_at', 'is', null)
  const rows = await (userId === undefined ? query : query.where('user_id', '=', userId))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.filter((row) => isTrusted(context, 'oauth_providers', row))
}

export async function findProvider(
  context: Context,
  db: Db,
  { orgId, identity }: { orgId: string; identity: OidcIdentity },
): Promise<Row | undefined> {
  const { issuer, audience, subject } = identity
  const rows = await listProviders(context, db, { orgId })
  return rows.find((row) => row.issuer === issuer && row.audience === audience && row.subject === subject)
}

/**
 * Permanently removes identities of a user. The MAC covers the removal: undoing it in the database invalidates the row.
 */
export async function revokeProviders(context: Context, db: Db, rows: readonly Row[]): Promise<void> {
  const revoked_at = new Date(context.now())
  for (const row of rows)
    await db
      .updateTable('oauth_providers')
      .set({ revoked_at, mac: mac(context.macKey, 'oauth_providers', { ...row, revoked_at }) })
      .where('id', '=', row.id)
      .where('org_id', '=', row.org_id)
      .execute()
}
