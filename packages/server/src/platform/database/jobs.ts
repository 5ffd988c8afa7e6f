import { Logger as JobLogger, runMigrations } from 'graphile-worker'
import { sql } from 'kysely'
import { type Logger, silentLogger } from '../observability/logger.ts'
import type { Db, Store } from './openStore.ts'

/** PostgreSQL schema of the job queue; its tables belong to graphile-worker. */
export const jobSchema = 'latchkey_jobs'

/** Payload of each kind of job. Payloads are readable in the database: ids only, no secret, no address. */
export type Jobs = {
  /** Hand one mail of the outbox to SMTP. */
  mail: { id: string }
  /** Delete expired rows. */
  sweep: object
  /** Delete what of the operation log is older than it is kept. */
  'sweep-operations': object
  /** Read the new blocks of a chain, and send again what its bundler lost. */
  [scan: `scan:${number}`]: object
  /** Ask a chain's node and bundler how they are. */
  [look: `look:${number}`]: object
}

export type JobName = keyof Jobs

export declare namespace addJob {
  type Parameters<name extends JobName> = {
    name: name
    payload: Jobs[name]
    /** Milliseconds from now. @default 0 */
    inMs?: number | undefined
    /** A waiting job with the same key is replaced. */
    key?: string | undefined
    /**
     * Leaves the time of a waiting job with the same key as it is.
     *
     * @default false
     */
    keepTime?: boolean | undefined
  }
}

/**
 * Queues a job. Within a transaction it starts when that commits, and never if it does not. The queue compares with the
 * machine's time, also in a devnet (`devnetClock.ts`).
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

/** How many jobs are due and not taken yet, counted up to 10,000, and for how long the oldest is. */
export async function countDueJobs({
  sessions,
}: Pick<Store, 'sessions'>): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sessions.query<{ waiting: number; oldest: number }>(`
    select count(*)::integer as waiting, coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as oldest
    from (select run_at from ${jobSchema}._private_jobs
      where is_available and run_at <= now() limit ${maxCounted}) as due`)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}

/** Brings the job queue's own schema up to date. */
export async function migrateJobs({ pool }: Pick<Store, 'pool'>): Promise<void> {
  await runMigrations({ pgPool: pool, schema: jobSchema, logger: toJobLogger(silentLogger) })
}

/**
 * Passes the warnings and errors of the job queue on to our log, without their details, which may hold payloads. A job
 * that failed logs it by itself.
 */
export function toJobLogger(logger: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    const text = `Job queue: ${message.split('\n')[0]?.slice(0, 300) ?? ''}`
    if (String(level) === 'error') logger.error({}, text)
    else if (String(level) === 'warning') logger.warn({}, text)
  })
}
