import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import { isBehind, micros, type TimeOrder, type TimePlace, toDirection } from '../../platform/database/timeOrder.ts'

export const mailStates = ['queued', 'sent', 'failed'] as const

export declare namespace listMails {
  type Parameters = {
    state?: (typeof mailStates)[number] | undefined
    /** By when they were made. @default 'newest' */
    order?: TimeOrder | undefined
    /** Of the last one of the page before. */
    after?: TimePlace | undefined
    limit: number
  }
}

/** Mails without what they say. One that has ended is kept for a week. */
export async function listMails(db: Db, parameters: listMails.Parameters) {
  return mailsQuery(db, parameters).execute()
}

/** The query of {@link listMails}, for a look at its plan. */
export function mailsQuery(db: Db, { state, order, after, limit }: listMails.Parameters) {
  let query = db
    .selectFrom('mail_outbox')
    .select(['id', 'org_id', 'template', 'recipient', 'state', 'tries', 'next_try_at', 'expires_at', 'failure'])
    .select(['created_at', 'updated_at', micros])
  // In the text of the query: the index of states is a partial one.
  if (state !== undefined) query = query.where(sql<boolean>`state = ${sql.lit(state)}`)
  if (after !== undefined) query = query.where(isBehind(after, { order, column: 'id', type: 'uuid' }))
  return query.orderBy('created_at', toDirection(order)).orderBy('id', toDirection(order)).limit(limit)
}
