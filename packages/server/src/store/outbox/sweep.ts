import { sql } from 'kysely'
import type { Db } from '../openStore.ts'

/** Deletes what is of no use any more: full limits, ended codes, cancellations, and addresses of mails a week old. */
export async function sweep(db: Db): Promise<void> {
  await db.deleteFrom('rate_limits').where('free_at', '<', sql<Date>`now()`).execute()
  await db.deleteFrom('mail_codes').where('expires_at', '<', sql<Date>`now() - interval '1 day'`).execute()
  await db.deleteFrom('mail_cancellations').where('created_at', '<', sql<Date>`now() - interval '1 day'`).execute()
  await db
    .deleteFrom('mail_outbox')
    .where('state', '!=', 'queued')
    .where('updated_at', '<', sql<Date>`now() - interval '7 days'`)
    .execute()
}
