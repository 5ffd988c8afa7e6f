/**
 * States of an e-mail: custody inserts it as `queued`; it ends as `sent` or `failed`, with its content erased. The mail
 * role claims, sends, postpones or fails it; its requester waits for it or cancels it.
 */
import { type Selectable, sql } from 'kysely'
import { inTransaction } from '../platform/database/inTransaction.ts'
import { addJob } from '../platform/database/jobs.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { MailOutboxTable } from '../platform/database/tables.ts'

export declare namespace claimMail {
  type ReturnType =
    | (Selectable<MailOutboxTable> & { /** The e-mail's request was cancelled. */ cancelled: boolean })
    | undefined
}

/**
 * Claims a queued e-mail for 30 seconds: no other replica tries it in that time, and a crashed replica's claim expires.
 * Returns undefined if it is sent, failed, claimed or not due yet.
 */
export async function claimMail(db: Db, id: string): Promise<claimMail.ReturnType> {
  return db
    .updateTable('mail_outbox')
    .set({
      next_try_at: sql`latchkey_now() + interval '30 seconds'`,
      tries: sql`tries + 1`,
      updated_at: sql`latchkey_now()`,
    })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('next_try_at', '<=', sql<Date>`latchkey_now()`)
    .returningAll()
    .returning(
      sql<boolean>`exists (
        select from mail_cancellations join activities using (fingerprint)
        where activities.id = mail_outbox.activity_id
      )`.as('cancelled'),
    )
    .executeTakeFirst()
}

const maxCounted = 10_000

/** Counts queued e-mails, up to 10,000. */
export async function countQueuedMails(db: Db): Promise<number> {
  const queued = db.selectFrom('mail_outbox').select('id').where('state', '=', 'queued').limit(maxCounted)
  const row = await db
    .selectFrom(queued.as('queued'))
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Marks an e-mail as sent. Returns false if it has already failed, so that its link does not work. */
export async function markSent(db: Db, id: string): Promise<boolean> {
  const row = await db
    .updateTable('mail_outbox')
    .set({ state: 'sent', payload_sealed: null, updated_at: sql`latchkey_now()` })
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export declare namespace postponeMail {
  type Parameters = { id: string; inMs: number }
}

export async function postponeMail(db: Db, { id, inMs }: postponeMail.Parameters): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('mail_outbox')
      .set({ next_try_at: sql<Date>`latchkey_now() + ${`${inMs} milliseconds`}::interval` })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .returning('id')
      .executeTakeFirst()
    if (row) await addJob(trx, { name: 'mail', payload: { id }, inMs })
  })
}

export declare namespace failMail {
  type Parameters = {
    id: string
    /** Short class of the error, without addresses or links. */
    failure: string
  }
}

/**
 * Marks a queued e-mail as failed and deletes its session key and code, atomically. Returns false, and changes nothing,
 * if the e-mail was already sent or had failed.
 */
export async function failMail(db: Db, parameters: failMail.Parameters): Promise<boolean> {
  // Uses a database function, since the mail role may not delete other credentials.
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ ended: boolean }>`
      select fail_mail(${parameters.id}::uuid, ${parameters.failure}) as ended`.execute(trx)
    return rows[0]?.ended === true
  })
}

/**
 * Requeues e-mails that have been due for five seconds, whose jobs were lost with a crashed replica. Returns their
 * number. graphile-worker would release the jobs of a crashed worker only after four hours.
 */
export async function requeueLostMails(db: Db): Promise<number> {
  const lost = await db
    .selectFrom('mail_outbox')
    .select('id')
    .where('state', '=', 'queued')
    .where('next_try_at', '<', sql<Date>`latchkey_now() - interval '5 seconds'`)
    .orderBy('next_try_at')
    .limit(100)
    .execute()
  for (const { id } of lost) await addJob(db, { name: 'mail', payload: { id }, key: `lost mail ${id}` })
  return lost.length
}

export declare namespace waitForMail {
  type Parameters = {
    activityId: string
    /** @default 10000 */
    timeoutMs?: number | undefined
  }
  /** `queued`: the timeout elapsed. `missing`: the activity has no e-mail. */
  type ReturnType = 'sent' | 'failed' | 'queued' | 'missing'
}

/** Waits until the e-mail of an activity is sent or has failed. Polls every 10 ms at first, every 100 ms later. */
export async function waitForMail(db: Db, parameters: waitForMail.Parameters): Promise<waitForMail.ReturnType> {
  const deadline = performance.now() + (parameters.timeoutMs ?? 10_000)
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    const row = await db
      .selectFrom('mail_outbox')
      .select('state')
      .where('activity_id', '=', parameters.activityId)
      .executeTakeFirst()
    if (!row) return 'missing'
    if (row.state !== 'queued' || performance.now() + pauseMs > deadline) return row.state
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

export declare namespace settleMail {
  type Parameters = waitForMail.Parameters
  type ReturnType = waitForMail.ReturnType
}

/**
 * Waits for the e-mail of an activity and fails it at the timeout. The timeout is reported as a failure, so the link
 * must not work later. An e-mail sent at the moment of the timeout counts as sent.
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

export declare namespace cancelMail {
  type Parameters = {
    /** Fingerprint of the request. */
    fingerprint: string
  }
}

/**
 * Cancels the e-mail of a request that got no response: an e-mail that is queued, or that custody queues later, is not
 * sent with a working link.
 */
export async function cancelMail(db: Db, { fingerprint }: cancelMail.Parameters): Promise<void> {
  // Stores the cancellation before the search for the e-mail. An e-mail that custody queues concurrently is then found
  // either by this search or by custody's check.
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
