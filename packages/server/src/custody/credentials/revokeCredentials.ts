import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac as rowMac } from '../macs.ts'

/**
 * Revokes credentials of a user for good and answers the ids of those that were alive. The revocation is under the MAC:
 * taking it back in the database makes the row worthless.
 */
export async function revokeCredentials(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { userId, ids }: revokeCredentials.Parameters,
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('credentials')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  const revoked_at = new Date(context.now())
  const revoked: string[] = []
  for (const row of rows) {
    // A forged row is of no use to anybody; a fresh MAC would make it genuine.
    if (!isGenuine(context.macKey, 'credentials', row)) continue
    const mac = rowMac(context.macKey, 'credentials', { ...row, revoked_at })
    await db.updateTable('credentials').set({ revoked_at, mac }).where('id', '=', row.id).execute()
    revoked.push(row.id)
  }
  return revoked
}

export declare namespace revokeCredentials {
  type Parameters = { userId: string; ids: readonly string[] }
}
