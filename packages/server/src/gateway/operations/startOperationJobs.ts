import type { Logger } from '../../http/logger.ts'
import { addJob } from '../../store/jobs.ts'
import type { Store } from '../../store/openStore.ts'
import { startJobs } from '../../store/startJobs.ts'
import type { Chain } from '../chains/createChain.ts'
import type { Operations } from './createOperations.ts'
import { resendLost } from './resendLost.ts'

/** How much slower blocks are read while no client of this copy waits. */
const idleFactor = 10

export declare namespace startOperationJobs {
  type Parameters = {
    store: Pick<Store, 'db' | 'pool'>
    chains: readonly Chain[]
    operations: Operations
    logger: Logger
  }
  type ReturnType = { close(): Promise<void> }
}

/**
 * Has each chain's blocks read by one of the copies, now and then. Every copy plans the next reading; a planned one stays
 * as it is, so that several copies read no more often than one. A reading that was cut off by a crash is planned again by
 * the next copy that looks: graphile-worker would hold it for four hours.
 */
export function startOperationJobs(parameters: startOperationJobs.Parameters): startOperationJobs.ReturnType {
  const { store, chains, operations, logger } = parameters
  const tasks: Record<`scan:${number}`, () => Promise<void>> = {}
  for (const chain of chains)
    tasks[`scan:${chain.chainId}`] = async () => {
      await operations.scan(chain)
      await resendLost({ db: store.db, chain, logger })
    }
  const jobs = startJobs({ store, logger, tasks, concurrency: 2, pollMs: 500 })
  const timers = chains.map((chain) => {
    const everyMs = chain.pollMs * idleFactor
    plan(chain, 0)
    return setInterval(() => plan(chain, everyMs), everyMs)
  })

  function plan({ chainId }: Chain, inMs: number): void {
    const name = `scan:${chainId}` as const
    const runAt = new Date(Date.now() + inMs)
    addJob(store.db, { name, payload: {}, key: name, keepTime: true, runAt }).catch((error: unknown) => {
      logger.error(
        { chainId, cause: error instanceof Error ? error.stack : undefined },
        'Reading blocks cannot be planned',
      )
    })
  }

  return {
    async close() {
      for (const timer of timers) clearInterval(timer)
      await jobs.close()
    },
  }
}
