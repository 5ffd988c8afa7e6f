import type { Selectable } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import type { ActivityTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'

/** A row without its MAC. */
export type StoredActivity = Omit<Selectable<ActivityTable>, 'mac'>

/**
 * The activity of an organization with a fingerprint. `lock`: nobody else changes it until the transaction is over.
 *
 * @throws ServerError `INTERNAL` for one that custody did not write
 */
export async function findStored(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  identity: Pick<StoredActivity, 'org_id' | 'fingerprint'>,
  { lock = false } = {},
): Promise<StoredActivity | undefined> {
  const row = await db
    .selectFrom('activities')
    .selectAll()
    .where('org_id', '=', identity.org_id)
    .where('fingerprint', '=', identity.fingerprint)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  return row && assertGenuineActivity(context, row)
}

/**
 * A stored row that custody wrote.
 *
 * @throws `INTERNAL` for any other
 */
export function assertGenuineActivity(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  row: Selectable<ActivityTable>,
): StoredActivity {
  if (isGenuine(macKey, 'activities', row)) return row
  throw new ServerError(
    'This activity was changed from outside, so it is not answered. Run `latchkey-server audit verify`.',
    { code: 'INTERNAL', status: 500 },
  )
}
