import { gatewayMethods } from 'latchkey-protocol'
import { type Address, type Client, encodeEventTopics, type Hex, numberToHex, parseEventLogs, type RpcLog } from 'viem'
import { entryPointAbi } from '../../../accounts/entryPoint.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { readObject, readQuantity, rpc } from '../../rpc.ts'
import type { RpcClient, UserOperationReceipt } from '../types.ts'
import { getUserOperationReceipt, readReceipt, readRevertReason } from './bundlerActions.ts'

// Three ways to find the transaction that included a user operation.

/** Transaction that included a user operation, and the outcome of its call. */
export type Inclusion = {
  transactionHash: Hex
  success: boolean
  blockNumber?: bigint | undefined
  /** Revert data as hex, or a reason as text. */
  revertData?: string | undefined
}

export type PollTimes = { maxRetries: number; intervalMs: number; multiplier: number }

export declare namespace pollReceipt {
  type Parameters = PollTimes & {
    client: RpcClient & Pick<Client, 'transport'>
    entryPoint: Address
    hash: Hex
    /** Whether to also request the receipt before the first wait. */
    isFirst: boolean
    signal: AbortSignal
  }
  /** `lastError`: error of the last request. */
  type ReturnType = { found: Inclusion } | { found?: undefined; lastError?: unknown }
}

const jitterMs = 100

/** Returns the wait before each receipt request, in milliseconds, without the random jitter. */
export function pollIntervals({ maxRetries, intervalMs, multiplier }: PollTimes): number[] {
  return Array.from({ length: maxRetries }, (_, attempt) => intervalMs * multiplier ** attempt)
}

/**
 * Polls the bundler for the receipt at growing intervals; `isFirst` adds an immediate request. Ignores failed requests,
 * but returns the last error.
 */
export async function pollReceipt(parameters: pollReceipt.Parameters): Promise<pollReceipt.ReturnType> {
  const { client, hash, isFirst, signal } = parameters
  let lastError: unknown
  for (const waitMs of [...(isFirst ? [0] : []), ...pollIntervals(parameters)]) {
    if (waitMs > 0) await pause(waitMs + Math.random() * jitterMs, signal)
    if (signal.aborted) break
    try {
      const receipt = await getUserOperationReceipt(client, hash, { signal })
      const found = receipt && (await confirmReceipt(parameters, receipt))
      if (found) return { found }
    } catch (error) {
      lastError = error
    }
  }
  return { lastError }
}

const receiptAction = 'Could not confirm the receipt of the operation.'

/**
 * If the bundler is a different service than the node, checks a receipt against the node's transaction: the bundler may
 * lie, or be ahead of the node.
 * @throws `RESPONSE_INVALID` if that transaction lacks the EntryPoint's event.
 */
async function confirmReceipt(
  { client, entryPoint, hash, signal }: pollReceipt.Parameters,
  receipt: UserOperationReceipt,
): Promise<Inclusion> {
  if (client.transport.isSeparate !== true) return toInclusion(receipt)
  const { transactionHash } = receipt.receipt
  const method = 'eth_getTransactionReceipt'
  const reply = await rpc(client, { method, params: [transactionHash], action: receiptAction, signal })
  const { logs } = readObject(reply ?? {}, receiptAction)
  const own = Array.isArray(logs)
    ? (logs as RpcLog[]).filter(({ address }) => address.toLowerCase() === entryPoint.toLowerCase())
    : []
  const found = readEvents(own, hash)
  if (found) return found
  throw new BaseError(
    "The bundler's receipt is not confirmed by the node: the transaction has no event of the operation.",
    {
      code: 'RESPONSE_INVALID',
      metaMessages: [
        `Transaction: ${transactionHash}`,
        'Look for the operation in an explorer, or use another bundler.',
      ],
    },
  )
}

function toInclusion({ success, reason, receipt }: UserOperationReceipt): Inclusion {
  const { transactionHash, blockNumber } = receipt
  return { transactionHash, success, blockNumber, revertData: reason }
}

export declare namespace holdForEnd {
  type Parameters = { client: RpcClient; hash: Hex; boundMs: number; signal: AbortSignal }
  /**
   * `ended`: the operation can no longer be included. Undefined if aborted, at the timeout, or if the gateway refuses.
   */
  type ReturnType = { found: Inclusion; ended?: undefined } | { found?: undefined; ended: BaseError } | undefined
}

/** Duration of one long-polling request, shorter than the timeouts of transports and proxies. */
const heldMs = 8_000
const waitAction = 'Could not wait for the operation.'

/**
 * Calls `latchkey_waitForUserOperation` of Latchkey's gateway, which responds once the operation is in a block or can
 * no longer be included.
 */
export async function holdForEnd(parameters: holdForEnd.Parameters): Promise<holdForEnd.ReturnType> {
  const { client, hash, boundMs, signal } = parameters
  const until = performance.now() + boundMs
  for (let failures = 0; !signal.aborted && failures < maxFailures; ) {
    const timeoutMs = Math.floor(Math.min(heldMs, until - performance.now()))
    if (timeoutMs <= 0) return undefined
    try {
      const params = [hash, { timeoutMs }]
      const options = { method: gatewayMethods.waitForUserOperation, params, action: waitAction, signal, retryCount: 0 }
      const { state, receipt, replacedBy, failure } = readObject(await rpc(client, options), waitAction)
      if (receipt) return { found: toInclusion(readReceipt(receipt, hash, waitAction)) }
      if (state === 'replaced') return { ended: replacedError(hash, replacedBy) }
      if (state === 'dropped' || state === 'failed') return { ended: droppedError(hash, failure) }
      failures = 0
    } catch (error) {
      // The gateway does not know the operation, because it was sent through another service.
      if (error instanceof BaseError && error.code === 'NOT_FOUND') return undefined
      failures++
      await pause(100 * failures, signal)
    }
  }
  return undefined
}

function replacedError(hash: Hex, replacedBy: unknown): BaseError {
  return new BaseError(`User operation ${hash} was replaced by another operation of the account.`, {
    code: 'USER_OPERATION_REPLACED',
    metaMessages: [
      ...(typeof replacedBy === 'string' ? [`Included instead: ${replacedBy}`] : []),
      'It had the same nonce. If you still need your operation, send it again.',
    ],
  })
}

function droppedError(hash: Hex, failure: unknown): BaseError {
  return new BaseError(`The bundler dropped user operation ${hash}.`, {
    code: 'USER_OPERATION_DROPPED',
    metaMessages: ['It was not included. Build and send it again.'],
    details: typeof failure === 'string' ? failure : undefined,
  })
}

export declare namespace watchEvent {
  type Parameters = { client: RpcClient; entryPoint: Address; hash: Hex; intervalMs: number; signal: AbortSignal }
  /** Undefined if aborted, or if the node refuses. */
  type ReturnType = Inclusion | undefined
}

/** Number of earlier blocks to search, because the operation may already have been included. */
const blocksBack = 10n
const maxFailures = 3
const action = "Could not look for the operation's event."

/**
 * Polls the node's logs for the EntryPoint's `UserOperationEvent` until it is found or the signal aborts. The node
 * often has a block before the bundler has a receipt. If the node refuses, returns undefined instead of throwing.
 */
export async function watchEvent(parameters: watchEvent.Parameters): Promise<watchEvent.ReturnType> {
  const { client, intervalMs, signal } = parameters
  let failures = 0
  let fromBlock: bigint | undefined
  while (!signal.aborted && failures < maxFailures) {
    try {
      fromBlock ??= await startBlock(client, signal)
      const found = await findEvent(parameters, fromBlock)
      if (found) return found
      failures = 0
    } catch {
      failures++
    }
    await pause(intervalMs, signal)
  }
  return undefined
}

async function startBlock(client: RpcClient, signal: AbortSignal): Promise<bigint> {
  const block = readQuantity(await rpc(client, { method: 'eth_blockNumber', params: [], action, signal }), action)
  return block > blocksBack ? block - blocksBack : 0n
}

async function findEvent(
  { client, entryPoint, hash, signal }: watchEvent.Parameters,
  fromBlock: bigint,
): Promise<Inclusion | undefined> {
  const names = ['UserOperationEvent', 'UserOperationRevertReason', 'PostOpRevertReason'] as const
  const topics = names.flatMap((eventName) => encodeEventTopics({ abi: entryPointAbi, eventName }))
  const filter = { address: entryPoint, fromBlock: numberToHex(fromBlock), topics: [topics, hash] }
  const reply = await rpc(client, { method: 'eth_getLogs', params: [filter], action, signal })
  return readEvents(Array.isArray(reply) ? (reply as RpcLog[]) : [], hash)
}

function readEvents(logs: RpcLog[], hash: Hex): Inclusion | undefined {
  const events = parseEventLogs({ abi: entryPointAbi, eventName: 'UserOperationEvent', logs })
  const event = events.find(({ args }) => args.userOpHash.toLowerCase() === hash.toLowerCase())
  if (!event?.transactionHash) return undefined
  return {
    transactionHash: event.transactionHash,
    success: event.args.success,
    blockNumber: event.blockNumber ?? undefined,
    revertData: readRevertReason(logs, hash),
  }
}

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
