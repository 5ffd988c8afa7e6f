import type { Db } from '../openStore.ts'

/** How many mails a user was sent (or is about to be) since a moment, and when the first of them was queued. */
export async function countMails(db: Db, parameters: countMails.Parameters): Promise<countMails.ReturnType> {
  const row = await db
    .selectFrom('mail_outbox')
    .select(({ fn }) => [fn.countAll<string>().as('count'), fn.min('created_at').as('first')])
    .where('user_id', '=', parameters.userId)
    .where('created_at', '>', parameters.since)
    .where('state', '!=', 'failed')
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), firstAt: row.first }
}

export declare namespace countMails {
  type Parameters = { userId: string; since: Date }
  type ReturnType = { count: number; firstAt: Date | null }
}
