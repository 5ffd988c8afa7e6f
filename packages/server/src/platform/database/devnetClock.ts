import { sql } from 'kysely'
import { ServerError } from '../errors/ServerError.ts'
import type { Logger } from '../observability/logger.ts'
import { jobSchema } from './jobs.ts'
import { listenToChannel } from './listenToChannel.ts'
import { type Db, openStore } from './openStore.ts'

const channel = 'latchkey_clock'
/** Ten years, since certificates and chains do not work further ahead. */
const maxAheadMs = 10 * 365 * 86_400_000

/** The clock of one process. */
export type RoleClock = {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `run` after each jump until the returned function is called, for work that depends on the time. */
  onJump(run: () => void): () => void
  close(): Promise<void>
}

/** The machine's clock, used outside of devnets. */
export const machineClock: RoleClock = { now: Date.now, onJump: () => () => undefined, close: async () => undefined }

export declare namespace advanceClock {
  type Options = {
    /** `postgres://…` of the tables' owner; no role's user may move the time. */
    databaseUrl: string
    /** Milliseconds forward, at least 1. Time never moves back. */
    byMs: number
  }
  type ReturnType = {
    /** Milliseconds by which the devnet is now ahead of the machine. */
    aheadMs: number
  }
  type ErrorType = ServerError
}

/**
 * Moves the time of a devnet forward: the database, every server started with `devnetClock: true`, and waiting jobs.
 * The chain has its own clock, which `latchkey-dev` moves too.
 *
 * @throws `ARGUMENT_INVALID`, `DATABASE_UNREACHABLE`.
 *
 * @example
 * ```ts
 * import { advanceClock } from 'latchkey-server'
 *
 * const databaseUrl = 'postgres://owner:password@localhost:5432/latchkey'
 * const { aheadMs } = await advanceClock({ databaseUrl, byMs: 16 * 60_000 })
 * console.log(`The devnet is ${aheadMs} ms ahead.`)
 * ```
 */
export async function advanceClock({ databaseUrl, byMs }: advanceClock.Options): Promise<advanceClock.ReturnType> {
  if (!Number.isSafeInteger(byMs) || byMs < 1 || byMs > maxAheadMs)
    throw new ServerError(`Time moves by whole milliseconds, from 1 to ${maxAheadMs}.`, { code: 'ARGUMENT_INVALID' })
  const store = await openStore({ databaseUrl, maxConnections: 1 })
  try {
    return await store.db.transaction().execute(async (db) => {
      const by = sql`${`${byMs} milliseconds`}::interval`
      await sql`
        insert into devnet_clock (ahead) values (${by})
        on conflict (id) do update set ahead = devnet_clock.ahead + excluded.ahead`.execute(db)
      const aheadMs = await readAhead(db)
      if (aheadMs > maxAheadMs)
        throw new ServerError('The devnet would be more than ten years ahead. Start a fresh one.', {
          code: 'ARGUMENT_INVALID',
        })
      // The queue compares with the machine's clock, so waiting jobs are moved forward by the same time.
      await sql`
        select ${sql.id(jobSchema, 'reschedule_jobs')}(array[id], run_at => run_at - ${by})
        from ${sql.id(jobSchema, 'jobs')} where locked_at is null`.execute(db)
      await sql`select pg_notify(${channel}, '')`.execute(db)
      return { aheadMs }
    })
  } finally {
    await store.close()
  }
}

/** Returns the milliseconds by which a devnet is ahead of the machine; 0 in production. */
export async function readAhead(db: Db): Promise<number> {
  const { rows } = await sql<{ ahead_ms: number }>`
    select coalesce((select extract(epoch from ahead) * 1000 from devnet_clock), 0)::float8 as ahead_ms`.execute(db)
  return Math.round(rows[0]?.ahead_ms ?? 0)
}

export declare namespace followDevnetClock {
  type Parameters = { db: Db; databaseUrl: string; logger: Logger }
}

/**
 * Returns a clock that follows the devnet's clock: it is set immediately and after each `advanceClock`. Only for
 * devnets: elsewhere, an attacker with write access to the database could revive expired sessions.
 */
export async function followDevnetClock({ db, databaseUrl, logger }: followDevnetClock.Parameters): Promise<RoleClock> {
  const jumped = new Set<() => void>()
  let aheadMs = await readAhead(db)

  async function read(): Promise<void> {
    const before = aheadMs
    aheadMs = await readAhead(db)
    if (aheadMs !== before) for (const run of jumped) run()
  }

  const complain = () => logger.warn({}, 'The time of the devnet cannot be read; it is read again')
  const listening = listenToChannel({
    databaseUrl,
    channel,
    purpose: 'clock',
    onConnect: read,
    onNotification: () => void read().catch(complain),
    onBreak: complain,
  })
  return {
    now: () => Date.now() + aheadMs,
    onJump(run) {
      jumped.add(run)
      return () => jumped.delete(run)
    },
    close: listening.close,
  }
}
