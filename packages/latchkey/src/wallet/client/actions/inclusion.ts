import { type Address, encodeEventTopics, type Hex, numberToHex, parseEventLogs, type RpcLog } from 'viem'
import { entryPointAbi } from '../../../accounts/entryPoint.ts'
import { readQuantity, rpc } from '../../rpc.ts'
import type { RpcClient } from '../types.ts'
import { getUserOperationReceipt } from './bundlerActions.ts'

// Two ways to see that a user operation is in a block.

/** The transaction that included a user operation, and how its call ended. */
export type Inclusion = {
  transactionHash: Hex
  success: boolean
  /** Revert data, or text. */
  revertData?: string | undefined
}

export declare namespace pollReceipt {
  type Parameters = {
    client: RpcClient
    hash: Hex
    maxRetries: number
    intervalMs: number
    multiplier: number
    signal: AbortSignal
  }
  /** `lastError`: why the last attempt failed. */
  type ReturnType = { found: Inclusion } | { found?: undefined; lastError?: unknown }
}

const jitterMs = 100

/** Asks the bundler for the receipt, each time after a longer wait. A failed attempt counts and is not thrown. */
export async function pollReceipt(parameters: pollReceipt.Parameters): Promise<pollReceipt.ReturnType> {
  const { client, hash, maxRetries, intervalMs, multiplier, signal } = parameters
  let lastError: unknown
  for (let attempt = 0; attempt < maxRetries && !signal.aborted; attempt++) {
    await pause(intervalMs * multiplier ** attempt + Math.random() * jitterMs, signal)
    if (signal.aborted) break
    try {
      const receipt = await getUserOperationReceipt(client, hash)
      if (receipt) {
        const { success, reason, receipt: transaction } = receipt
        return { found: { transactionHash: transaction.transactionHash, success, revertData: reason } }
      }
    } catch (error) {
      lastError = error
    }
  }
  return { lastError }
}

export declare namespace watchEvent {
  type Parameters = { client: RpcClient; entryPoint: Address; hash: Hex; intervalMs: number; signal: AbortSignal }
  /** Undefined when aborted, or when the node refuses. */
  type ReturnType = Inclusion | undefined
}

/** The operation may have got into a block before the watch began. */
const blocksBack = 10n
const maxFailures = 3
const action = "Could not look for the operation's event."

/**
 * Looks for the EntryPoint's `UserOperationEvent` in the node's logs until it is there or the signal aborts. The node
 * often knows of a block before the bundler has a receipt. An aid only: it ends without an error when the node refuses.
 */
export async function watchEvent(parameters: watchEvent.Parameters): Promise<watchEvent.ReturnType> {
  const { client, intervalMs, signal } = parameters
  let failures = 0
  let fromBlock: bigint | undefined
  while (!signal.aborted && failures < maxFailures) {
    await pause(intervalMs, signal)
    if (signal.aborted) return undefined
    try {
      fromBlock ??= await startBlock(client)
      const found = await findEvent(parameters, fromBlock)
      if (found) return found
      failures = 0
    } catch {
      failures++
    }
  }
  return undefined
}

async function startBlock(client: RpcClient): Promise<bigint> {
  const block = readQuantity(await rpc(client, { method: 'eth_blockNumber', params: [], action }), action)
  return block > blocksBack ? block - blocksBack : 0n
}

async function findEvent(
  { client, entryPoint, hash }: watchEvent.Parameters,
  fromBlock: bigint,
): Promise<Inclusion | undefined> {
  const [included] = encodeEventTopics({ abi: entryPointAbi, eventName: 'UserOperationEvent' })
  const [reverted] = encodeEventTopics({ abi: entryPointAbi, eventName: 'UserOperationRevertReason' })
  const filter = { address: entryPoint, fromBlock: numberToHex(fromBlock), topics: [[included, reverted], hash] }
  const reply = await rpc(client, { method: 'eth_getLogs', params: [filter], action })
  const logs = parseEventLogs({ abi: entryPointAbi, logs: Array.isArray(reply) ? (reply as RpcLog[]) : [] })
  const reason = logs.find((log) => log.eventName === 'UserOperationRevertReason')
  const event = logs.find((log) => log.eventName === 'UserOperationEvent')
  if (!event?.transactionHash) return undefined
  return {
    transactionHash: event.transactionHash,
    success: event.args.success,
    revertData: reason?.args.revertReason,
  }
}

/** Resolves after a time, or at once when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
