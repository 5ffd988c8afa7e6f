import { sql } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'

/**
 * Deletes expired rows: rate limits that have refilled, codes, cancellations, security events older than a month, and
 * mails that ended a week ago. Mails of deleted accounts are deleted immediately, since their addresses are stored
 * nowhere else.
 */
export async function sweep(db: Db): Promise<void> {
  await db.deleteFrom('rate_limits').where('free_at', '<', sql<Date>`latchkey_now()`).execute()
  await db.deleteFrom('mail_codes').where('expires_at', '<', sql<Date>`latchkey_now() - interval '1 day'`).execute()
  await db
    .deleteFrom('mail_cancellations')
    .where('created_at', '<', sql<Date>`latchkey_now() - interval '1 day'`)
    .execute()
  await db.deleteFrom('security_events').where('at', '<', sql<Date>`latchkey_now() - interval '30 days'`).execute()
  await db
    .deleteFrom('mail_outbox')
    .where('state', '!=', 'queued')
    .where(({ eb, or }) =>
      or([eb('updated_at', '<', sql<Date>`latchkey_now() - interval '7 days'`), eb('template', '=', 'keys-destroyed')]),
    )
    .execute()
}
