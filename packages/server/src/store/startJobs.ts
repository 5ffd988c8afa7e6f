import { EventEmitter } from 'node:events'
import { runTaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker'
import type { Logger } from '../http/logger.ts'
import { type JobName, type Jobs, jobSchema, toJobLogger } from './jobs.ts'
import type { Store } from './openStore.ts'

const restartMs = 1_000

export declare namespace startJobs {
  type Parameters<name extends JobName> = {
    store: Pick<Store, 'pool'>
    logger: Logger
    /** Runs each kind of job this copy takes. After a rejection the job is tried again later, up to 25 times. */
    tasks: { [key in name]: (payload: Jobs[key]) => Promise<void> }
    /**
     * Jobs at a time; each may hold a connection of the pool.
     *
     * @default 5
     */
    concurrency?: number | undefined
    /**
     * How often to look for jobs that are due; new ones are taken at once.
     *
     * @default 1000
     */
    pollMs?: number | undefined
  }
  type ReturnType = {
    /** Takes no more jobs and waits up to 20 s for those under way. */
    close(): Promise<void>
  }
}

/**
 * Takes jobs from the queue, on notification by PostgreSQL. Any number of copies may run; each job is taken by one.
 *
 * When the database goes away in the middle of a job, graphile-worker's worker ends and is not replaced: then all
 * workers are started again, every second until the database is back. For the same reason its cron is not used: when
 * one of its queries fails, a rejection that cannot be caught ends the process (0.16.6, `buildRunner`).
 */
export function startJobs<name extends JobName>(parameters: startJobs.Parameters<name>): startJobs.ReturnType {
  const { store, logger, tasks, concurrency = 5, pollMs = 1_000 } = parameters
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let workers = begin()

  function begin(): WorkerPool {
    const events: WorkerEvents = new EventEmitter()
    events.on('worker:stop', ({ error }: { error?: unknown }) => {
      if (error !== undefined) restart()
    })
    return runTaskList(
      {
        schema: jobSchema,
        logger: toJobLogger(logger),
        concurrency,
        pollInterval: pollMs,
        noHandleSignals: true,
        events,
        preset: { worker: { gracefulShutdownAbortTimeout: 20_000 } },
      },
      tasks,
      store.pool,
    )
  }

  function restart(): void {
    if (closed || timer) return
    logger.warn({}, 'A worker of the job queue ended; all are started again')
    timer = setTimeout(async () => {
      await end(workers)
      timer = undefined
      if (!closed) workers = begin()
    }, restartMs)
  }

  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await end(workers)
    },
  }
}

/** The workers log their errors themselves. */
async function end(workers: WorkerPool): Promise<void> {
  await Promise.allSettled([workers.gracefulShutdown(), workers.promise])
}
