import type { Db } from '../openStore.ts'
import { failMail } from './failMail.ts'

/**
 * Sees to it that a request whose answer never came sends no mail with a link that works: neither one that is queued
 * already nor one that custody queues later. `fingerprint` is that of the request.
 */
export async function cancelMail(db: Db, { fingerprint }: cancelMail.Parameters): Promise<void> {
  // Stored before the look: what is queued in between is seen by one of the two.
  await db
    .insertInto('mail_cancellations')
    .values({ fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const queued = await db
    .selectFrom('mail_outbox')
    .innerJoin('activities', 'activities.id', 'mail_outbox.activity_id')
    .select('mail_outbox.id')
    .where('activities.fingerprint', '=', fingerprint)
    .execute()
  for (const { id } of queued) await failMail(db, { id, failure: 'cancelled' })
}

export declare namespace cancelMail {
  type Parameters = { fingerprint: string }
}
