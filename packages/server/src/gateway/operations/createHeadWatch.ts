import type { Logger } from '../../platform/observability/logger.ts'
import type { Chain } from '../chains/createChain.ts'
import { createNotifier } from './createNotifier.ts'
import type { Block, Inclusion } from './operationBlocks.ts'
import { readBlock, readSightings } from './readInclusions.ts'

/** Milliseconds between log lines about failed block reads. */
const complainMs = 30_000
/**
 * Number of blocks below the head that are also searched, since a poll may miss blocks and a wait may begin after its
 * operation's block.
 */
const lookBack = 16n

export declare namespace createHeadWatch {
  type Parameters = {
    chain: Pick<Chain, 'chainId' | 'node' | 'pollMs'>
    /** Writes the blocks of a new head to the log. */
    scan: (head: Block) => Promise<void>
    logger: Logger
  }
  type ReturnType = HeadWatch
}

export type HeadWatch = {
  /** Searches the chain's newest blocks for an operation until the returned function is called. */
  add(userOpHash: string, onSeen: (inclusion: Inclusion) => void): () => void
  close(): Promise<void>
}

type Wanted = { userOpHash: string; onSeen: (inclusion: Inclusion) => void; lookedAt?: string }

/**
 * Polls for a new head of a chain every `pollMs` while at least one client waits, in one loop for all clients. Clients
 * whose operation is in the new blocks are notified immediately. The log and the ledger read the same blocks in
 * parallel and remain authoritative.
 */
export function createHeadWatch({ chain, scan, logger }: createHeadWatch.Parameters): createHeadWatch.ReturnType {
  const { chainId, node, pollMs } = chain
  const wanted = new Set<Wanted>()
  const pause = createNotifier()
  let running: Promise<void> | undefined
  let scanning: Promise<void> | undefined
  let complainedAt = Number.NEGATIVE_INFINITY

  async function run(): Promise<void> {
    while (wanted.size > 0) {
      await look().catch(complain)
      if (wanted.size > 0) await pause.wait(pollMs)
    }
    running = undefined
  }

  async function look(): Promise<void> {
    const head = await readBlock(node, 'latest')
    const fresh = [...wanted].filter(({ lookedAt }) => lookedAt !== head.hash)
    if (fresh.length > 0) {
      const hashes = fresh.map(({ userOpHash }) => userOpHash)
      const from = head.number > lookBack ? head.number - lookBack : 0n
      const seen = new Map(
        (await readSightings({ node, from, head, hashes })).map((inclusion) => [inclusion.userOpHash, inclusion]),
      )
      for (const one of fresh) {
        one.lookedAt = head.hash
        const inclusion = seen.get(one.userOpHash)
        if (inclusion) one.onSeen(inclusion)
      }
    }
    scanning ??= scan(head)
      .catch(complain)
      .finally(() => {
        scanning = undefined
      })
  }

  /** Logs that reading blocks failed, without the cause: the node's client logs it, and the chain's job retries. */
  function complain(): void {
    if (performance.now() - complainedAt > complainMs) logger.warn({ chainId }, 'Blocks cannot be read')
    complainedAt = performance.now()
  }

  return {
    add(userOpHash, onSeen) {
      const one: Wanted = { userOpHash, onSeen }
      wanted.add(one)
      running ??= run()
      return () => {
        wanted.delete(one)
        if (wanted.size === 0) pause.notify()
      }
    },
    async close() {
      await running
      await scanning
    },
  }
}
