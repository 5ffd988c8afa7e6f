import { addJob } from '../../platform/database/jobs.ts'
import type { Store } from '../../platform/database/openStore.ts'
import { startJobs } from '../../platform/database/startJobs.ts'
import { describeError } from '../../platform/observability/describeError.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { onScrape } from '../../platform/observability/metrics.ts'
import { type OperationRetention, sweepOperations } from '../../store/sweepOperations.ts'
import type { Chain } from '../chains/createChain.ts'
import { inspectChain } from '../chains/inspectChain.ts'
import type { Operations } from './createOperations.ts'
import { measureOperations } from './measureOperations.ts'
import { readOutcomes } from './readOutcomes.ts'
import { resendLost } from './resendLost.ts'

/**
 * Factor by which the interval between block reads grows while no client of this replica waits. The interval is then at
 * least two seconds.
 */
const idleFactor = 10
const idleMs = 2_000
/** Milliseconds between log lines about failures of a chain. */
const complainMs = 30_000
/** Milliseconds between sweeps of the log, by one of the replicas. */
const sweepEveryMs = 3_600_000
/** Milliseconds between inspections of a chain for operators, by one of the replicas. */
const lookEveryMs = 30_000

export declare namespace startOperationJobs {
  type Parameters = {
    store: Pick<Store, 'db' | 'sessions'>
    chains: readonly Chain[]
    operations: Operations
    /** Retention of the log. */
    retention?: OperationRetention | undefined
    logger: Logger
  }
  type ReturnType = { close(): Promise<void> }
}

/**
 * Schedules the reading of each chain's blocks, and the sweep of the log, on one of the replicas. Every replica
 * schedules the next job unless it is already scheduled, so several replicas read no more often than one. Any replica
 * reschedules a job whose worker crashed, since graphile-worker would lock that job for four hours.
 */
export function startOperationJobs(parameters: startOperationJobs.Parameters): startOperationJobs.ReturnType {
  const { store, chains, operations, retention, logger } = parameters
  const tasks: Record<`scan:${number}` | `look:${number}` | 'sweep-operations', () => Promise<void>> = {
    async 'sweep-operations'() {
      const swept = await sweepOperations(store.db, retention)
      if (swept.events + swept.operations > 0) logger.info(swept, 'The operation log was swept')
    },
  }
  for (const chain of chains) {
    tasks[`scan:${chain.chainId}`] = async () => {
      // The worker would retry failed jobs with growing delays, so failures are caught and rescheduled within a second.
      await readChain(chain).catch((error: unknown) => complain(chain, error))
    }
    tasks[`look:${chain.chainId}`] = () => inspectChain(store.db, chain)
  }
  const complainedAt = new Map<number, number>()
  const jobs = startJobs({ store, logger, tasks, concurrency: 3 })
  const endScrape = onScrape(() => measureOperations(store.db))
  const timers = [
    repeat('sweep-operations', sweepEveryMs),
    ...chains.map(({ chainId }) => repeat(`look:${chainId}`, lookEveryMs)),
    ...chains.map(({ chainId, pollMs }) => repeat(`scan:${chainId}`, Math.max(pollMs * idleFactor, idleMs))),
  ]

  async function readChain(chain: Chain): Promise<void> {
    await operations.follow(chain)
    await resendLost({ db: store.db, chain, logger })
    await readOutcomes({ db: store.db, chain })
  }

  function complain({ chainId }: Chain, error: unknown): void {
    const at = performance.now()
    if (at - (complainedAt.get(chainId) ?? Number.NEGATIVE_INFINITY) < complainMs) return
    complainedAt.set(chainId, at)
    const cause = describeError(error)
    logger.error({ chainId, cause }, 'Blocks or receipts cannot be read, or operations not sent again')
  }

  function repeat(name: keyof typeof tasks, everyMs: number): NodeJS.Timeout {
    plan(name, 0)
    return setInterval(() => plan(name, everyMs), everyMs)
  }

  function plan(name: keyof typeof tasks, inMs: number): void {
    addJob(store.db, { name, payload: {}, key: name, keepTime: true, inMs }).catch((error: unknown) => {
      logger.error({ job: name, cause: describeError(error) }, 'A job of the operation log cannot be planned')
    })
  }

  return {
    async close() {
      endScrape()
      for (const timer of timers) clearInterval(timer)
      await jobs.close()
    },
  }
}
