import { sql } from 'kysely'
import { addJob } from '../jobs/addJob.ts'
import type { Db } from '../openStore.ts'

/** How long a mail may be due before its job counts as lost with the copy that had taken it. */
const patience = sql<Date>`now() - interval '5 seconds'`

/** Queues mails again that are due and that nobody tries. Answers how many. */
export async function requeueLostMails(db: Db): Promise<number> {
  const lost = await db
    .selectFrom('mail_outbox')
    .select('id')
    .where('state', '=', 'queued')
    .where('next_try_at', '<', patience)
    .orderBy('next_try_at')
    .limit(100)
    .execute()
  for (const { id } of lost) await addJob(db, { name: 'mail', payload: { id }, key: `lost mail ${id}` })
  return lost.length
}
