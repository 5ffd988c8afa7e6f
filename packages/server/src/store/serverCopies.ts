import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'

/** Self-reported state of a replica, as in its `GET /readyz`. */
const copyState = z.object({
  status: z.enum(['ready', 'not ready']),
  problems: z.record(z.string(), z.string()).optional(),
  lacking: z.record(z.string(), z.string()).optional(),
})
export type CopyState = z.output<typeof copyState>

/** Seconds without a report after which a replica counts as failed. Replicas report every 30 seconds. */
export const silentSeconds = 90

/** A process of the server. */
export type ServerCopy = { id: string; roles: string[]; version: string }

/** Records a running replica and its state. Deletes replicas that did not report for a day. */
export async function noteCopy(db: Db, { id, roles, version }: ServerCopy, state: CopyState): Promise<void> {
  await db
    .insertInto('server_copies')
    .values({ id, roles: sql`${roles}::text[]`, version, state: JSON.stringify(state) })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ state: JSON.stringify(state), seen_at: sql<Date>`latchkey_now()` }),
    )
    .execute()
  await db.deleteFrom('server_copies').where('seen_at', '<', sql<Date>`latchkey_now() - interval '1 day'`).execute()
}

export async function removeCopy(db: Db, id: string): Promise<void> {
  await db.deleteFrom('server_copies').where('id', '=', id).execute()
}

/** Returns replicas that reported within a day, by start time; at most 200. */
export async function listCopies(db: Db) {
  const rows = await db
    .selectFrom('server_copies')
    .select(['id', 'roles', 'version', 'state', 'started_at', 'seen_at'])
    .select(sql<number>`extract(epoch from latchkey_now() - seen_at)::float8`.as('silent_seconds'))
    .orderBy('started_at')
    .orderBy('id')
    .limit(200)
    .execute()
  return rows.map((row) => ({ ...row, state: copyState.parse(row.state) }))
}
