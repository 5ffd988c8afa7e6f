import { sql } from 'kysely'
import type { Db } from './openStore.ts'

export const mailStates = ['queued', 'sent', 'failed'] as const

/** The place of a row in a list by time: microseconds since the epoch, which a JavaScript date would cut off, and id. */
export type TimePlace = { micros: string; id: string }

export declare namespace listMails {
  type Parameters = {
    state?: (typeof mailStates)[number] | undefined
    /** Of the last one of the page before. */
    after?: TimePlace | undefined
    limit: number
  }
}

/** Mails without what they say, newest first. One that has ended is kept for a week. */
export async function listMails(db: Db, parameters: listMails.Parameters) {
  return mailsQuery(db, parameters).execute()
}

/** The query of {@link listMails}, for a look at its plan. */
export function mailsQuery(db: Db, { state, after, limit }: listMails.Parameters) {
  let query = db
    .selectFrom('mail_outbox')
    .select(['id', 'org_id', 'template', 'recipient', 'state', 'tries', 'next_try_at', 'expires_at', 'failure'])
    .select(['created_at', 'updated_at', toMicros('created_at').as('micros')])
  // In the text of the query: the index of states is a partial one.
  if (state !== undefined) query = query.where(sql<boolean>`state = ${sql.lit(state)}`)
  if (after !== undefined) query = query.where(isBefore(after))
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
}

/** A time in microseconds since the epoch. */
export const toMicros = (column: 'created_at') =>
  sql<string>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`

/** Behind a place in a list by `created_at` and `id`, newest first. */
export const isBefore = ({ micros, id }: TimePlace) =>
  sql<boolean>`(created_at, id) < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`
