import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import { updateActivity } from './writeActivity.ts'

const batchSize = 100

/**
 * Erases the results whose time is over: bundles that hold a secret. They are kept only as long as the request can be
 * repeated or its answer be asked for again; a copy of the database then holds none of them. Answers how many it looked
 * at: at most a hundred at a time, which other copies of the server leave alone meanwhile.
 */
export async function eraseResults(context: Pick<CustodyContext, 'macKey' | 'now'>, db: Db): Promise<number> {
  const rows = await db
    .selectFrom('activities')
    .selectAll()
    .where('result_expires_at', '<=', new Date(context.now()))
    .orderBy('result_expires_at')
    .limit(batchSize)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const row of rows) {
    // What custody did not write is erased as well, and stays what it is.
    const erased = { status: row.status, result: {}, result_expires_at: null }
    if (isGenuine(context.macKey, 'activities', row)) await updateActivity(context, db, row, erased)
    else
      await db
        .updateTable('activities')
        .set({ result: '{}', result_expires_at: null })
        .where('id', '=', row.id)
        .execute()
  }
  return rows.length
}
