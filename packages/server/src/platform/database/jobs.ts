import type { Logger as JobLogger } from 'graphile-worker'
import { sql } from 'kysely'
import { type Logger, silentLogger } from '../observability/logger.ts'
import { graphileWorker } from './graphileWorker.ts'
import type { Db, Store } from './openStore.ts'

/** PostgreSQL schema of the job queue; its tables belong to graphile-worker. */
export const jobSchema = 'latchkey_jobs'

/** Payload of each kind of job. Payloads are readable in the database, so they contain only ids. */
export type Jobs = {
  /** Send one mail of the outbox by SMTP. */
  mail: { id: string }
  /** Delete expired rows. */
  sweep: object
  /** Delete expired rows of the operation log. */
  'sweep-operations': object
  /** Read new blocks of a chain, and resend operations that its bundler lost. */
  [scan: `scan:${number}`]: object
  /** Check a chain's node and bundler. */
  [look: `look:${number}`]: object
}

export type JobName = keyof Jobs

export declare namespace addJob {
  type Parameters<name extends JobName> = {
    name: name
    payload: Jobs[name]
    /** Milliseconds from now. @default 0 */
    inMs?: number | undefined
    /** Replaces a waiting job with the same key. */
    key?: string | undefined
    /**
     * Whether a replaced job retains its time.
     * @default false
     */
    keepTime?: boolean | undefined
  }
}

/**
 * Queues a job. Within a transaction, the job starts only after the commit. The queue compares with the machine's time,
 * even in a devnet (`devnetClock.ts`).
 */
export async function addJob<name extends JobName>(db: Db, job: addJob.Parameters<name>): Promise<void> {
  await sql`select from ${sql.id(jobSchema, 'add_job')}(
    identifier => ${job.name}::text,
    payload => ${JSON.stringify(job.payload)}::json,
    run_at => now() + ${`${job.inMs ?? 0} milliseconds`}::interval,
    job_key => ${job.key ?? null}::text,
    job_key_mode => ${job.keepTime ? 'preserve_run_at' : 'replace'}::text
  )`.execute(db)
}

const maxCounted = 10_000

/** Returns the number of due jobs that no worker has taken, up to 10,000, and the age of the oldest. */
export async function countDueJobs({
  sessions,
}: Pick<Store, 'sessions'>): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sessions.query<{ waiting: number; oldest: number }>(`
    select count(*)::integer as waiting, coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as oldest
    from (select run_at from ${jobSchema}._private_jobs
      where is_available and run_at <= now() limit ${maxCounted}) as due`)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}

export async function migrateJobs({ pool }: Pick<Store, 'pool'>): Promise<void> {
  await graphileWorker.runMigrations({ pgPool: pool, schema: jobSchema, logger: toJobLogger(silentLogger) })
}

/**
 * Forwards warnings and errors of the job queue to our log, without details, which may contain payloads. Failed jobs
 * log their own errors.
 */
export function toJobLogger(logger: Logger): JobLogger {
  return new graphileWorker.Logger(() => (level, message) => {
    const text = `Job queue: ${message.split('\n')[0]?.slice(0, 300) ?? ''}`
    if (String(level) === 'error') logger.error({}, text)
    else if (String(level) === 'warning') logger.warn({}, text)
  })
}
