import { EventEmitter } from 'node:events'
import type { Task, TaskList, WorkerEvents, WorkerPool } from 'graphile-worker'
import type { Logger } from '../observability/logger.ts'
import { metrics, onScrape } from '../observability/metrics.ts'
import { inSpan } from '../observability/tracing.ts'
import { graphileWorker } from './graphileWorker.ts'
import { countDueJobs, type JobName, type Jobs, jobSchema, toJobLogger } from './jobs.ts'
import type { Store } from './openStore.ts'

const restartMs = 1_000

export declare namespace startJobs {
  type Parameters<name extends JobName> = {
    store: Pick<Store, 'sessions'>
    logger: Logger
    /** Handlers of the jobs that this replica runs. A rejected job is retried later, up to 25 times. */
    tasks: { [key in name]: (payload: Jobs[key]) => Promise<void> }
    /**
     * Maximum concurrent jobs. Each may use a connection of the pool.
     *
     * @default 5
     */
    concurrency?: number | undefined
    /**
     * Milliseconds between polls for due jobs; new jobs start immediately.
     *
     * @default 1000
     */
    pollMs?: number | undefined
  }
  type ReturnType = {
    /** Stops taking jobs, and waits up to 20 s for running ones. */
    close(): Promise<void>
  }
}

/**
 * Runs jobs from the queue, on notification by PostgreSQL. Any number of replicas may run; each job runs on only one.
 *
 * The workers of graphile-worker (0.16.6) do not survive two kinds of connection loss. A worker that loses the database
 * during a job ends and is not replaced. Workers that start without the database cache the failure of their first query
 * (`getTaskDetails`) and never run a job. In both cases, all workers are restarted every second until the database is
 * back. graphile-worker's cron is not used: a failed query of the cron ends the process with a rejection that cannot be
 * caught (`buildRunner`).
 */
export function startJobs<name extends JobName>(parameters: startJobs.Parameters<name>): startJobs.ReturnType {
  const { store, logger, tasks, concurrency = 5, pollMs = 1_000 } = parameters
  let closed = false
  let timer: NodeJS.Timeout | undefined
  /** Whether workers ended or failed to start, and no worker has read the queue since. */
  let isInterrupted = false
  const list: TaskList = tasks
  const measured = Object.fromEntries(
    Object.entries(list).flatMap(([kind, task]) => (task ? [[kind, measureJob(kind, task)]] : [])),
  )
  const endScrape = onScrape(() => measureQueue(store))
  let workers = begin()

  function begin(): WorkerPool {
    const events: WorkerEvents = new EventEmitter()
    let hasReadQueue = false
    function onRead(): void {
      if (hasReadQueue) return
      hasReadQueue = true
      if (isInterrupted) logger.info({}, 'Job queue: its workers run again')
      isInterrupted = false
    }
    events.on('job:start', onRead)
    events.on('worker:getJob:empty', onRead)
    events.on('worker:getJob:error', () => {
      if (!hasReadQueue) restart()
    })
    events.on('worker:stop', ({ error }: { error?: unknown }) => {
      if (error !== undefined) restart()
    })
    return graphileWorker.runTaskList(
      {
        schema: jobSchema,
        logger: toJobLogger(logger),
        concurrency,
        pollInterval: pollMs,
        noHandleSignals: true,
        events,
        preset: { worker: { gracefulShutdownAbortTimeout: 20_000 } },
      },
      measured,
      store.sessions,
    )
  }

  function restart(): void {
    if (closed || timer) return
    if (!isInterrupted) logger.warn({}, 'Job queue: its workers lost the database and are started again')
    isInterrupted = true
    timer = setTimeout(async () => {
      await end(workers)
      timer = undefined
      if (!closed) workers = begin()
    }, restartMs)
  }

  return {
    async close() {
      closed = true
      endScrape()
      clearTimeout(timer)
      await end(workers)
    },
  }
}

/** Omits the chain from a job's name, since other metrics have the chain as a label. */
function measureJob(kind: string, task: Task): Task {
  const job = kind.replace(/:.*$/, '')
  return async (...call) => {
    const startedAt = performance.now()
    let outcome = 'failed'
    try {
      await inSpan(`job ${job}`, {}, async () => task(...call))
      outcome = 'done'
    } finally {
      metrics.jobs.inc({ job, outcome })
      metrics.jobSeconds.observe({ job }, (performance.now() - startedAt) / 1000)
    }
  }
}

async function measureQueue(store: Pick<Store, 'sessions'>): Promise<void> {
  const { waiting, oldestSeconds } = await countDueJobs(store)
  metrics.jobsWaiting.set(waiting)
  metrics.jobsOldest.set(oldestSeconds)
}

/** Stops the workers, which log their errors themselves. */
async function end(workers: WorkerPool): Promise<void> {
  await Promise.allSettled([workers.gracefulShutdown(), workers.promise])
}
