import type { Db } from '../../platform/database/openStore.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { findOperation, type Operation, openStates } from '../../store/operations.ts'
import type { Chain } from '../chains/createChain.ts'
import { entryPointAddresses } from '../paymasters/schemes.ts'
import { createHeadWatch } from './createHeadWatch.ts'
import { createLaneScanner, type LaneScanner } from './createLaneScanner.ts'
import { createNotifier } from './createNotifier.ts'
import { createSemaphore } from './createSemaphore.ts'
import type { Block, Inclusion } from './operationBlocks.ts'
import { operationLimits } from './operationLimits.ts'
import type { OperationNotifier } from './operationNotifier.ts'
import { readBlock } from './readInclusions.ts'
import { streamEvents } from './streamEvents.ts'

/**
 * Milliseconds between reads of the log during a wait, since notifications may be disabled or lost with their
 * connection.
 */
const lookMs = { withNotifier: 2_000, withoutNotifier: 250 }

export declare namespace createOperations {
  type Parameters = {
    db: Db
    chains: readonly Chain[]
    /** @default none: waits read the log four times a second */
    notifier?: OperationNotifier | undefined
    /** Aborted when the server stops, to end waits and streams. */
    draining?: AbortSignal | undefined
    logger: Logger
  }
  type ReturnType = Operations
}

/** Operation log service: reads the chains' events, and notifies waiting clients. */
export type Operations = {
  /** Ensures that operations logged from now on are found in a chain's blocks. */
  begin(chain: Chain): Promise<void>
  /** Reads the new blocks of a chain. */
  scan(chain: Chain): Promise<void>
  /**
   * Reads the new blocks of a chain if its head has changed. An unchanged head costs one request, so it can be called
   * often.
   */
  follow(chain: Chain): Promise<void>
  /**
   * Waits until an operation of a project has ended. Returns its latest state, or undefined if there is no such
   * operation.
   */
  wait(chain: Chain, parameters: Operations.Wait): Promise<Operation | undefined>
  /** Returns the server-sent events of a project's operations. */
  stream(parameters: Operations.Stream): Promise<Response>
  /** Ends all waits and streams. */
  close(): Promise<void>
}

export declare namespace Operations {
  type Wait = {
    projectId: string
    ip: string | undefined
    userOpHash: string
    timeoutMs: number
    /** Ends the wait when the client disconnects. */
    signal?: AbortSignal | undefined
  }
  type Stream = {
    projectId: string
    ip: string | undefined
    /** `Last-Event-ID` header of the request. */
    lastEventId: string | undefined
    signal: AbortSignal
  }
}

export function createOperations(parameters: createOperations.Parameters): createOperations.ReturnType {
  const { db, notifier, logger } = parameters
  const scanners = new Map(parameters.chains.map((chain) => [chain, createScanners(chain, parameters)]))
  const watches = new Map(
    parameters.chains.map((chain) => [chain, createHeadWatch({ chain, scan: (head) => scan(chain, head), logger })]),
  )
  const takeSeat = createSemaphore('gateway.waits', operationLimits.waits, 'requests wait for an operation')
  const takeStream = createSemaphore('gateway.streams', operationLimits.streams, 'event streams are open')
  const closed = new AbortController()
  const closing = parameters.draining ? AbortSignal.any([closed.signal, parameters.draining]) : closed.signal

  async function begin(chain: Chain): Promise<void> {
    await Promise.all((scanners.get(chain) ?? []).map((lane) => lane.begin()))
  }

  async function scan(chain: Chain, head?: Block): Promise<void> {
    await Promise.all((scanners.get(chain) ?? []).map((lane) => lane.scan(head)))
  }

  async function wait(chain: Chain, request: Operations.Wait): Promise<Operation | undefined> {
    const { projectId, userOpHash, timeoutMs, signal } = request
    const leaveSeat = takeSeat(request)
    const wakeUps = createNotifier()
    const ending = anySignal(signal, closing)
    ending.addEventListener('abort', wakeUps.notify)
    const unsubscribe = notifier?.subscribe({ projectId, userOpHash }, wakeUps.notify)
    const deadline = performance.now() + timeoutMs
    let seen: Inclusion | undefined
    let stopWatching: (() => void) | undefined
    try {
      for (;;) {
        const operation = await findOperation(db, { projectId, userOpHash })
        if (!operation || hasEnded(operation)) return operation
        stopWatching ??= watches.get(chain)?.add(userOpHash, (inclusion) => {
          seen = inclusion
          wakeUps.notify()
        })
        const left = deadline - performance.now()
        if (ending.aborted || left <= 0) return operation
        await wakeUps.wait(Math.min(left, notifier ? lookMs.withNotifier : lookMs.withoutNotifier))
        if (seen) return asIncluded(operation, seen, chain)
      }
    } finally {
      stopWatching?.()
      unsubscribe?.()
      ending.removeEventListener('abort', wakeUps.notify)
      leaveSeat()
    }
  }

  async function stream({ signal, ...request }: Operations.Stream): Promise<Response> {
    const leaveSeat = takeStream(request)
    const ending = anySignal(signal, closing)
    try {
      return await streamEvents({ db, notifier, ...request, signal: ending, onEnd: leaveSeat })
    } catch (error) {
      leaveSeat()
      throw error
    }
  }

  return {
    begin,
    scan: (chain) => scan(chain),
    follow: async (chain) => scan(chain, await readBlock(chain.node, 'latest')),
    wait,
    stream,
    async close() {
      closed.abort()
      await Promise.all([...watches.values()].map((watch) => watch.close()))
    },
  }
}

function anySignal(signal: AbortSignal | undefined, closing: AbortSignal): AbortSignal {
  return signal ? AbortSignal.any([signal, closing]) : closing
}

function hasEnded({ state }: Operation): boolean {
  return !openStates.some((open) => open === state)
}

/** Returns an operation as included if it was seen in a block that the log has not read yet. */
function asIncluded(operation: Operation, inclusion: Inclusion, { confirmations }: Chain): Operation {
  const { block, actualGasCost, actualGasUsed } = inclusion
  return {
    ...operation,
    state: 'included',
    paymaster: inclusion.paymaster,
    success: inclusion.success,
    actual_gas_cost: String(actualGasCost),
    actual_gas_used: String(actualGasUsed),
    block_number: String(block.number),
    block_hash: block.hash,
    block_time: block.time,
    transaction_hash: inclusion.transactionHash,
    log_index: inclusion.logIndex,
    confirmed_at: confirmations === 0 ? block.time : null,
    failure: null,
    replaced_by: null,
  }
}

function createScanners(chain: Chain, { db, logger }: createOperations.Parameters): LaneScanner[] {
  return entryPointAddresses.map((entryPoint) => {
    const ofEntryPoint = chain.schemes.filter((scheme) => scheme.entryPoint === entryPoint)
    return createLaneScanner({
      db,
      node: chain.node,
      chainId: chain.chainId,
      entryPoint,
      confirmations: chain.confirmations,
      paymasters: ofEntryPoint.flatMap(({ paymaster }) => paymaster ?? []),
      logger,
    })
  })
}
