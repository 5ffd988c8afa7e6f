import type { Chain, Client, Hex } from 'viem'
import { decodeRevert, formatRevert } from '../../../accounts/errors/decodeRevert.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { UserOperationRevertedError } from '../../errors/UserOperationRevertedError.ts'
import { toWaitError } from '../../errors/WaitForUserOperationError.ts'
import { settleRecord } from '../../outbox/settleRecord.ts'
import { gatewaySupport } from '../gatewaySupport.ts'
import type { ClientOptions, RpcClient, WaitParameters } from '../types.ts'
import type { ActionContext } from './context.ts'
import { holdForEnd, type Inclusion, type PollTimes, pollIntervals, pollReceipt, watchEvent } from './inclusion.ts'

/** RPC client. Its chain has the block time, and may declare the service as Latchkey's gateway. */
type WaitClient = RpcClient & Pick<Client, 'transport'> & { chain: Chain }
type WaitContext = Pick<ActionContext, 'account' | 'options' | 'outbox'> & { client: WaitClient }

/**
 * Waits until a user operation is in a block and returns the transaction hash. With Latchkey's gateway, uses one
 * long-polling request. With other services, polls the bundler's receipt immediately and at growing intervals, and the
 * node's logs for the EntryPoint's event. Returns the first result, and gives up after the last receipt request.
 *
 * @throws `USER_OPERATION_REVERTED` if the operation's call reverted, `USER_OPERATION_TIMEOUT` if it was not found in
 * time, `USER_OPERATION_REPLACED` and `USER_OPERATION_DROPPED` if it can no longer be included, `ABORTED`. If `request`
 * is given, all except the first are wrapped in a `WaitForUserOperationError`.
 *
 * @example
 * ```ts
 * import { sendUserOperation, waitForUserOperationTransaction } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { hash } = await sendUserOperation(context, { uo })
 * const signal = AbortSignal.timeout(60_000)
 * const transactionHash = await waitForUserOperationTransaction(context, { hash, signal })
 * console.log(transactionHash)
 * ```
 */
export async function waitForUserOperationTransaction(context: WaitContext, parameters: WaitParameters): Promise<Hex> {
  const { hash, request } = parameters
  try {
    const found = await findInclusion(context, parameters)
    // Not awaited. If this write fails, the next visit finds the outcome again.
    settleRecord(context, hash, found).catch(() => {})
    return settle(hash, found)
  } catch (cause) {
    throw request ? toWaitError(cause, request) : cause
  }
}

/**
 * Returns the transaction that included an operation, even if its call reverted. Throws like
 * `waitForUserOperationTransaction`.
 */
export async function findInclusion(
  context: WaitContext,
  { hash, retries = {}, signal: given }: Omit<WaitParameters, 'request'>,
): Promise<Inclusion> {
  const { options } = context
  const times = {
    maxRetries: retries.maxRetries ?? options.txMaxRetries ?? 5,
    intervalMs: retries.intervalMs ?? options.txRetryIntervalMs ?? 2000,
    multiplier: retries.multiplier ?? options.txRetryMultiplier ?? 1.5,
  }
  if (given?.aborted) throw abortedError(given.reason)
  const stop = new AbortController()
  try {
    const end = race(context, { hash, times, signal: stop.signal })
    const seen = await Promise.race([end, untilAborted(given, stop.signal)])
    if (seen.ended) throw seen.ended
    if (seen.found) return seen.found
    throw notFound(hash, seen.lastError)
  } finally {
    stop.abort()
  }
}

type End = { found?: Inclusion | undefined; ended?: BaseError | undefined; lastError?: unknown }

/**
 * Returns the first result of any source. Without a result, the caller throws the error of the last receipt request.
 */
function race(context: WaitContext, { hash, times, signal }: { hash: Hex; times: PollTimes; signal: AbortSignal }) {
  const { account, client } = context
  const isGateway = gatewaySupport(client) === 'yes'
  const receipts: Promise<End> = pollReceipt({
    client,
    entryPoint: account.entryPoint.address,
    hash,
    ...times,
    isFirst: !isGateway,
    signal,
  })
  const watch = (): Promise<End | undefined> => watchForEvent(context, hash, signal)
  const boundMs = pollIntervals(times).reduce((sum, ms) => sum + ms, 0)
  const hold = async (): Promise<End | undefined> => (await holdForEnd({ client, hash, boundMs, signal })) ?? watch()
  const aid = isGateway ? hold() : watch()
  return Promise.race([receipts, aid.then((end) => end ?? receipts)])
}

async function watchForEvent({ account, client, options }: WaitContext, hash: Hex, signal: AbortSignal) {
  const intervalMs = watchInterval(options, client.chain.blockTime)
  if (intervalMs <= 0) return undefined
  const found = await watchEvent({ client, entryPoint: account.entryPoint.address, hash, intervalMs, signal })
  return found && { found }
}

/** Rejects when the caller's signal aborts. `over` aborts at the end of the wait and removes the listener. */
function untilAborted(given: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    given?.addEventListener('abort', () => reject(abortedError(given.reason)), { signal: over })
  })
}

function watchInterval({ txWatchIntervalMs }: ClientOptions, blockTime = 1000): number {
  return txWatchIntervalMs ?? Math.min(Math.max(blockTime, 100), 1000)
}

function settle(userOperationHash: Hex, { success, transactionHash, revertData }: Inclusion): Hex {
  if (success) return transactionHash
  const reason = formatRevert(revertData)
  const isPaymasters = decodeRevert(revertData)?.errorName === 'PostOpReverted'
  throw new UserOperationRevertedError({ userOperationHash, transactionHash, revertData, reason, isPaymasters })
}

function notFound(hash: Hex, lastError: unknown): BaseError {
  return new BaseError(`Failed to find transaction for user operation ${hash}`, {
    code: 'USER_OPERATION_TIMEOUT',
    metaMessages: [
      'It may still be included: call `waitForUserOperationTransaction` again.',
      'If its fees are now too low, pass the sent request to `dropAndReplaceUserOperation`.',
      ...(lastError instanceof BaseError ? [`Last attempt: ${lastError.shortMessage}`] : []),
    ],
    name: 'FailedToFindTransactionError',
  })
}

function abortedError(cause: unknown): BaseError {
  return new BaseError('The wait for the user operation was aborted. It may still be included.', {
    code: 'ABORTED',
    metaMessages: ['Call `waitForUserOperationTransaction` again.'],
    cause,
  })
}
