import { sql } from 'kysely'
import type { Db } from '../openStore.ts'
import { type JobName, type Jobs, jobSchema } from './jobs.ts'

/** Queues a job. Within a transaction it starts when that commits, and never if it does not. */
export async function addJob<name extends JobName>(db: Db, job: addJob.Parameters<name>): Promise<void> {
  await sql`select from ${sql.id(jobSchema, 'add_job')}(
    identifier => ${job.name}::text,
    payload => ${JSON.stringify(job.payload)}::json,
    run_at => ${job.runAt ?? null}::timestamptz,
    job_key => ${job.key ?? null}::text
  )`.execute(db)
}

export declare namespace addJob {
  type Parameters<name extends JobName> = {
    name: name
    payload: Jobs[name]
    /** @default at once */
    runAt?: Date | undefined
    /** A waiting job with the same key is replaced. */
    key?: string | undefined
  }
}
