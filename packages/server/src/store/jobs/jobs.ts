/** PostgreSQL schema of the job queue; its tables belong to graphile-worker. */
export const jobSchema = 'latchkey_jobs'

/** Every kind of job with what it is told. Payloads are readable in the database: ids only, no secret, no address. */
export type Jobs = {
  /** Hand one mail of the outbox to SMTP. */
  mail: { id: string }
  /** Delete what is of no use any more. */
  sweep: object
}

export type JobName = keyof Jobs
