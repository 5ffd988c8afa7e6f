import type { Db } from '../../platform/database/openStore.ts'
import { endConfirmations } from '../confirmations/links.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac } from '../macs.ts'

export declare namespace revokeCredentials {
  type Parameters = { orgId: string; userId: string; ids: readonly string[] }
}

/**
 * Permanently revokes a user's credentials, and returns the ids of those that were still valid. The MAC covers the
 * revocation: undoing it in the database invalidates the row.
 */
export async function revokeCredentials(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, userId, ids }: revokeCredentials.Parameters,
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('credentials')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  const revoked_at = new Date(context.now())
  const revoked: string[] = []
  for (const row of rows) {
    // A new MAC would make a forged row genuine.
    if (!isGenuine(context.macKey, 'credentials', row)) continue
    await db
      .updateTable('credentials')
      .set({ revoked_at, mac: mac(context.macKey, 'credentials', { ...row, revoked_at }) })
      .where('id', '=', row.id)
      .where('org_id', '=', orgId)
      .execute()
    revoked.push(row.id)
  }
  return revoked
}

/** Ends every session of a user, including unopened e-mailed sessions. Keys and passkeys without expiry stay valid. */
export async function endSessions(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<void> {
  await db.selectFrom('users').select('id').where('id', '=', userId).where('org_id', '=', orgId).forUpdate().execute()
  const live = await db
    .selectFrom('credentials')
    .select('id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('expires_at', '>', new Date(context.now()))
    .where('revoked_at', 'is', null)
    .execute()
  await revokeCredentials(context, db, { orgId, userId, ids: live.map(({ id }) => id) })
  await db.deleteFrom('mail_codes').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
}

export declare namespace revokeMailedAccess {
  type Parameters = {
    orgId: string
    userId: string
    /** Id of the requesting session. */
    keep?: string | undefined
  }
}

/**
 * Revokes everything e-mailed to a user's former address: session keys, codes and confirmations. The requesting session
 * remains valid but no longer proves an address. The caller must lock the user's row.
 */
export async function revokeMailedAccess(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, userId, keep }: revokeMailedAccess.Parameters,
): Promise<void> {
  const mailed = await db
    .selectFrom('credentials')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('email_session', '=', true)
    .forUpdate()
    .execute()
  await revokeCredentials(context, db, { orgId, userId, ids: mailed.map(({ id }) => id).filter((id) => id !== keep) })
  await db.deleteFrom('mail_codes').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
  await endConfirmations(db, userId)
  const kept = mailed.find(({ id }) => id === keep)
  if (!kept || !isGenuine(context.macKey, 'credentials', kept)) return
  await db
    .updateTable('credentials')
    .set({ email_session: false, mac: mac(context.macKey, 'credentials', { ...kept, email_session: false }) })
    .where('id', '=', kept.id)
    .where('org_id', '=', orgId)
    .execute()
}
