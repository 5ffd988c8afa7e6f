import type { Selectable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import type { ActivityTable } from '../../store/tables.ts'

export type StoredActivity = Selectable<ActivityTable>

/** The activity of an organization with a fingerprint. `lock`: nobody else changes it until the transaction is over. */
export function findStored(
  db: Db,
  identity: Pick<StoredActivity, 'org_id' | 'fingerprint'>,
  { lock = false } = {},
): Promise<StoredActivity | undefined> {
  return db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', identity.org_id)
    .where('fingerprint', '=', identity.fingerprint)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
}
