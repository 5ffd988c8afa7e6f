import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import type { ActivityTable } from '../../platform/database/tables.ts'
import { recordOwn } from '../activities/recordOwn.ts'
import { type StoredActivity, toActivityRow } from '../activities/storedActivity.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import { eraseActivities } from './logEntry.ts'

type Context = Pick<CustodyContext, 'macKey' | 'now'>

const batchSize = 500
/** Milliseconds during which a repeated request must still be refused by its fingerprint. */
const repeatableMs = 86_400_000

export declare namespace eraseEntries {
  type Parameters = {
    /** Organization of the chain. */
    orgId: string
    /** Activities to erase. @default all of the chain */
    activityIds?: readonly string[] | undefined
    /** Submitter of the deletion request. */
    by: Pick<StoredActivity, 'user_id' | 'credential_id'>
  }
}

/**
 * Erases the content of a chain's entries and activities: bodies, salts, stamps, intents and results. First logs the
 * erasure as an activity of the same chain, without which `audit verify` would fail. Call it last in a transaction,
 * like `appendLog`.
 */
export async function eraseEntries(context: Context, db: Db, parameters: eraseEntries.Parameters): Promise<void> {
  const { orgId, activityIds, by } = parameters
  const intent = { eraseActivitiesIntent: { organizationId: orgId, ...(activityIds && { activityIds }) } }
  const id = await recordOwn(context, db, { orgId, type: eraseActivities, intent, by })
  const named = activityIds && [...activityIds]
  await sql`
    update activity_log set body = '', salt = null, intent = '', stamp = case when scheme = 1 then stamp else '' end,
      content_digest = case when scheme = 1 then sha256(body)
        else sha256(salt || sha256(body) || sha256(convert_to(stamp, 'UTF8'))
          || case when scheme = 2 then ''::bytea else sha256(convert_to(intent, 'UTF8')) end) end
    where org_id = ${orgId} and content_digest is null and activity_id <> ${id}
      ${named ? sql`and activity_id = any(${named}::uuid[])` : sql``}`.execute(db)
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('activities')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('id', '<>', id)
      .$if(named !== undefined, (query) => query.where('id', 'in', named ?? []))
      .$if(after !== '', (query) => query.where('id', '>', after))
      .orderBy('id')
      .limit(batchSize)
      .forUpdate()
      .execute()
    for (const row of rows) await eraseActivity(context, db, row)
    after = rows.at(-1)?.id ?? ''
    if (rows.length < batchSize) return
  }
}

async function eraseActivity(context: Context, db: Db, row: Selectable<ActivityTable>): Promise<void> {
  const isRepeatable = context.now() - row.created_at.getTime() < repeatableMs
  const kept = isRepeatable ? row.fingerprint : `erased:${row.id}`
  const next = { ...row, fingerprint: kept, intent: {}, result: {}, failure: null, result_expires_at: null }
  const { id, org_id, mac, ...columns } = toActivityRow(context, next)
  // A forged row is erased as well but gets no new MAC, which would make it genuine.
  const genuine = isGenuine(context.macKey, 'activities', row) ? { mac } : {}
  await db
    .updateTable('activities')
    .set({ ...columns, ...genuine })
    .where('id', '=', row.id)
    .where('org_id', '=', row.org_id)
    .execute()
}
