import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../store/openStore.ts'
import type { MailOutboxTable } from '../store/tables.ts'

export type OutboxRow = Selectable<MailOutboxTable>

/**
 * Takes queued mails for this copy of the mail role. A claim lasts 30 s, so what a crashed copy held is taken again.
 */
export async function claimMails(db: Db, limit: number): Promise<OutboxRow[]> {
  return (
    db
      // Materialized, so that it runs and locks once however the update is planned.
      .with(
        (cte) => cte('next').materialized(),
        (cte) =>
          cte
            .selectFrom('mail_outbox')
            .select('id')
            .where('state', '=', 'queued')
            .where((where) =>
              where.or([where('claimed_until', 'is', null), where('claimed_until', '<', sql<Date>`now()`)]),
            )
            .orderBy('created_at')
            .limit(limit)
            .forUpdate()
            .skipLocked(),
      )
      .updateTable('mail_outbox')
      .set({ claimed_until: sql`now() + interval '30 seconds'`, tries: sql`tries + 1`, updated_at: sql`now()` })
      .where('id', 'in', (eb) => eb.selectFrom('next').select('next.id'))
      .returningAll()
      .execute()
  )
}

/**
 * Records that a mail was handed over, and erases its content. Answers false when it had been given up meanwhile: then
 * its link does not work.
 */
export async function markSent(db: Db, id: string): Promise<boolean> {
  const row = await db
    .updateTable('mail_outbox')
    .set({ state: 'sent', payload_sealed: null, claimed_until: null, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
