import type { Selectable } from 'kysely'
import type { CredentialTable } from '../../platform/database/organizationTables.ts'
import { lastUseMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'

/**
 * Records the last use of the caller's credential, accurate to an hour. Most requests write nothing, and requests of a
 * 15-minute session never write. Skips revoked or unverified credentials.
 */
export async function noteUse(
  { db }: Pick<CustodyContext, 'db'>,
  { credentialId, at }: { credentialId: string; at: Date },
  rows: readonly Pick<Selectable<CredentialTable>, 'id' | 'last_used_at' | 'created_at'>[],
): Promise<void> {
  const row = rows.find(({ id }) => id === credentialId)
  const before = new Date(at.getTime() - lastUseMs)
  if (!row || (row.last_used_at ?? row.created_at) > before) return
  await db
    .updateTable('credentials')
    .set({ last_used_at: at })
    .where('id', '=', credentialId)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', before)]))
    .execute()
}
