import { sql } from 'kysely'
import type { Db } from '../openStore.ts'

/**
 * Records that a mail was handed over, and erases its content. Answers false when it had been given up meanwhile: then
 * its link does not work.
 */
export async function markSent(db: Db, id: string): Promise<boolean> {
  const row = await db
    .updateTable('mail_outbox')
    .set({ state: 'sent', payload_sealed: null, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
