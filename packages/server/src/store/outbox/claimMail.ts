import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../openStore.ts'
import type { MailOutboxTable } from '../tables.ts'

/**
 * Takes a mail that waits, for 30 seconds: nobody else tries it in that time, and what a crashed copy held is taken again
 * afterwards. Undefined for one that is sent, given up, taken or not due yet. `cancelled`: who asked for it was told that
 * it failed.
 */
export async function claimMail(db: Db, id: string): Promise<claimMail.ReturnType> {
  return db
    .updateTable('mail_outbox')
    .set({ next_try_at: sql`now() + interval '30 seconds'`, tries: sql`tries + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('next_try_at', '<=', sql<Date>`now()`)
    .returningAll()
    .returning(
      sql<boolean>`exists (
        select from mail_cancellations join activities using (fingerprint)
        where activities.id = mail_outbox.activity_id
      )`.as('cancelled'),
    )
    .executeTakeFirst()
}

export declare namespace claimMail {
  type ReturnType = (Selectable<MailOutboxTable> & { cancelled: boolean }) | undefined
}
