import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import { isBehind, micros, type TimeOrder, type TimePlace, toDirection } from '../../platform/database/timeOrder.ts'

export const mailStates = ['queued', 'sent', 'failed'] as const

export declare namespace listMails {
  type Parameters = {
    state?: (typeof mailStates)[number] | undefined
    /** Order by time of creation. @default 'newest' */
    order?: TimeOrder | undefined
    /** Position of the previous page's last row. */
    after?: TimePlace | undefined
    limit: number
  }
}

/** Returns mails without their content. Finished mails are deleted after a week. */
export async function listMails(db: Db, parameters: listMails.Parameters) {
  return mailsQuery(db, parameters).execute()
}

/** Builds the query of {@link listMails}; exported so that a test can check its plan. */
export function mailsQuery(db: Db, { state, order, after, limit }: listMails.Parameters) {
  let query = db
    .selectFrom('mail_outbox')
    .select(['id', 'org_id', 'template', 'recipient', 'state', 'tries', 'next_try_at', 'expires_at', 'failure'])
    .select(['created_at', 'updated_at', micros])
  // Inlined as a literal, since the index on states is partial.
  if (state !== undefined) query = query.where(sql<boolean>`state = ${sql.lit(state)}`)
  if (after !== undefined) query = query.where(isBehind(after, { order, column: 'id', type: 'uuid' }))
  return query.orderBy('created_at', toDirection(order)).orderBy('id', toDirection(order)).limit(limit)
}
