import { addJob } from '../jobs/addJob.ts'
import type { Db } from '../openStore.ts'

/** Has a mail that could not be sent tried again later. */
export async function postponeMail(db: Db, { id, until }: postponeMail.Parameters): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('mail_outbox')
      .set({ next_try_at: until })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .returning('id')
      .executeTakeFirst()
    if (row) await addJob(trx, { name: 'mail', payload: { id }, runAt: until })
  })
}

export declare namespace postponeMail {
  type Parameters = { id: string; until: Date }
}
