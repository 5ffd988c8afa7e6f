import { sql } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { countMails } from '../../store/outbox/countMails.ts'

/** Connections this copy may hold while custody starts a mail; custody needs its own from the same pool. */
const maxHolders = 4
const maxWaiting = 500
/** Longer than a burst takes; whoever waits in a page has given up by then. */
const maxWaitMs = 30_000

export declare namespace createMailSlots {
  type Parameters = {
    db: Db
    /** At most `count` mails to one user in `windowMs`. */
    limit: { count: number; windowMs: number }
    /** How long to wait for a turn. @default 30000 */
    waitMs?: number | undefined
  }
  type ReturnType = <result>(userId: string, run: () => Promise<result>) => Promise<result>
}

/**
 * Runs what queues a mail if the user's limit allows one more. The count and the queueing of one user are done one
 * after the other under an advisory lock, so the limit holds across copies of the server.
 *
 * Throws `RATE_LIMIT_EXCEEDED` with the minutes to wait, `MAIL_UNAVAILABLE` when no turn comes in time.
 */
export function createMailSlots(parameters: createMailSlots.Parameters): createMailSlots.ReturnType {
  const { db, limit, waitMs = maxWaitMs } = parameters
  let holders = 0
  const waiting: (() => void)[] = []

  async function enter(): Promise<void> {
    if (holders < maxHolders) {
      holders++
      return
    }
    if (waiting.length >= maxWaiting) throw tooMany()
    // The one who leaves hands its place over.
    await new Promise<void>((resolve, reject) => {
      const enterNow = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(enterNow), 1)
        reject(tooMany())
      }, waitMs)
      waiting.push(enterNow)
    })
  }

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else holders--
  }

  return async (userId, run) => {
    await enter()
    try {
      return await db.transaction().execute(async (transaction) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`mail:${userId}`}, 0))`.execute(transaction)
        const since = new Date(Date.now() - limit.windowMs)
        const { count, firstAt } = await countMails(transaction, { userId, since })
        if (count >= limit.count) throw limitReached(firstAt, limit.windowMs)
        return await run()
      })
    } finally {
      leave()
    }
  }
}

function tooMany(): ServerError {
  return new ServerError('Too many sign-ins at this moment. Try again in a minute.', {
    code: 'MAIL_UNAVAILABLE',
    status: 503,
  })
}

function limitReached(firstAt: Date | null, windowMs: number): ServerError {
  const freeAt = (firstAt?.getTime() ?? Date.now()) + windowMs
  const minutes = Math.max(1, Math.ceil((freeAt - Date.now()) / 60_000))
  const wait = minutes === 1 ? '1 minute' : `${minutes} minutes`
  return new ServerError(`Too many mails were sent to this address. Try again in ${wait}.`, {
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
  })
}
