import { run } from 'graphile-worker'
import type { Logger } from '../../http/logger.ts'
import type { Store } from '../openStore.ts'
import { jobLogger } from './jobLogger.ts'
import { type JobName, type Jobs, jobSchema } from './jobs.ts'

export declare namespace startJobs {
  type Parameters<name extends JobName> = {
    store: Pick<Store, 'pool'>
    logger: Logger
    /** What to do for each kind of job this copy takes. A rejection has the job tried again later, up to 25 times. */
    tasks: { [key in name]: (payload: Jobs[key]) => Promise<void> }
    /** Jobs that come round: crontab lines of graphile-worker. */
    crontab?: string | undefined
    /** Jobs at a time; each may hold a connection of the pool. @default 5 */
    concurrency?: number | undefined
    /** How often to look for jobs whose time has come; new ones are taken at once. @default 1000 */
    pollMs?: number | undefined
  }
  type ReturnType = {
    /** Takes no more jobs and waits up to 20 s for those under way. */
    close(): Promise<void>
  }
}

/** Takes jobs from the queue, on notification by PostgreSQL. Any number of copies may run; each job is taken by one. */
export async function startJobs<name extends JobName>(
  parameters: startJobs.Parameters<name>,
): Promise<startJobs.ReturnType> {
  const { store, logger, tasks, crontab, concurrency = 5, pollMs = 1_000 } = parameters
  const runner = await run({
    pgPool: store.pool,
    schema: jobSchema,
    logger: jobLogger(logger),
    taskList: tasks,
    crontab: crontab ?? '',
    concurrency,
    pollInterval: pollMs,
    noHandleSignals: true,
    preset: { worker: { gracefulShutdownAbortTimeout: 20_000 } },
  })
  let stopped = false
  // Rejects when the queue cannot go on, for which `stop` need not be called.
  const ended = runner.promise.catch((error: unknown) => {
    logger.error({ cause: error instanceof Error ? error.stack : undefined }, 'The job queue stopped')
    stopped = true
  })
  return {
    async close() {
      if (!stopped) await runner.stop()
      await ended
    },
  }
}
