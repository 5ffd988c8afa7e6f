import type { Insertable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import type { ActivityTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { mac } from '../macs.ts'
import type { StoredActivity } from './findStored.ts'

type Context = Pick<CustodyContext, 'macKey' | 'now'>
type Outcome = Pick<StoredActivity, 'status'> &
  Partial<Pick<StoredActivity, 'result' | 'result_expires_at' | 'failure'>>

/** A row of `activities` with its MAC. */
export function toActivityRow({ macKey }: Pick<Context, 'macKey'>, row: StoredActivity): Insertable<ActivityTable> {
  const { intent, result, failure } = row
  return {
    ...row,
    intent: JSON.stringify(intent),
    result: JSON.stringify(result),
    failure: failure && JSON.stringify(failure),
    mac: mac(macKey, 'activities', row),
  }
}

/** Writes how an activity went on, and answers the activity as it is now. */
export async function updateActivity(
  context: Context,
  db: Db,
  row: StoredActivity,
  outcome: Outcome,
): Promise<StoredActivity> {
  const next = { ...row, ...outcome, updated_at: new Date(context.now()) }
  const { id, ...columns } = toActivityRow(context, next)
  await db.updateTable('activities').set(columns).where('id', '=', id).execute()
  return next
}
