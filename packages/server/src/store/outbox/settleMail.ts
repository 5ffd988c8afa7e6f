import type { Db } from '../openStore.ts'
import { failMail } from './failMail.ts'
import { waitForMail } from './waitForMail.ts'

/**
 * Waits for the mail of an activity, and gives it up when the time is over: whoever waited is told that it failed, so
 * its link must not work later. A mail that is handed over at this very moment counts as sent.
 */
export async function settleMail(db: Db, parameters: settleMail.Parameters): Promise<settleMail.ReturnType> {
  const { activityId } = parameters
  const state = await waitForMail(db, parameters)
  if (state !== 'queued') return state
  const { id } = await db
    .selectFrom('mail_outbox')
    .select('id')
    .where('activity_id', '=', activityId)
    .executeTakeFirstOrThrow()
  if (await failMail(db, { id, failure: 'late' })) return 'failed'
  return waitForMail(db, { activityId, timeoutMs: 0 })
}

export declare namespace settleMail {
  type Parameters = waitForMail.Parameters
  type ReturnType = waitForMail.ReturnType
}
