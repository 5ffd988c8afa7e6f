import type { Selectable } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'
import type { ActivityTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { isSameMac, rowMac } from '../rowMac.ts'
import type { StoredActivity } from './findStored.ts'

/**
 * MAC of an activity: all that is told of it. Whoever can only write to the database can neither answer a request with a
 * result of their own, nor have one done again.
 */
export function activityMac(macKey: Uint8Array, row: StoredActivity): Uint8Array {
  return rowMac(macKey, 'activities', [
    row.id,
    row.org_id,
    row.fingerprint,
    row.type,
    row.status,
    row.user_id,
    row.credential_id,
    row.threshold,
    JSON.stringify(row.intent),
    JSON.stringify(row.result),
    JSON.stringify(row.failure),
    row.result_expires_at,
    row.created_at,
    row.updated_at,
  ])
}

/** Whether custody wrote the row. */
export function isGenuineActivity(macKey: Uint8Array, row: Selectable<ActivityTable>): boolean {
  return isSameMac(activityMac(macKey, row), row.mac)
}

/**
 * Answers a stored row that custody wrote.
 *
 * @throws ServerError `INTERNAL` for any other
 */
export function assertGenuineActivity(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  row: Selectable<ActivityTable>,
): StoredActivity {
  if (isGenuineActivity(macKey, row)) return row
  throw new ServerError(
    'This activity was changed from outside, so it is not answered. Run `latchkey-server audit verify`.',
    { code: 'INTERNAL', status: 500 },
  )
}
