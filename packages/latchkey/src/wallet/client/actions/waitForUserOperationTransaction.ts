import type { Chain, Hex } from 'viem'
import { formatRevert } from '../../../accounts/errors/decodeRevert.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { UserOperationRevertedError } from '../../errors/UserOperationRevertedError.ts'
import type { ClientOptions, RpcClient, WaitRetries } from '../types.ts'
import type { ActionContext } from './context.ts'
import { type Inclusion, pollReceipt, watchEvent } from './inclusion.ts'

/**
 * Waits until a user operation is in a block and returns the hash of the transaction. The bundler's receipt is requested
 * at growing intervals and the EntryPoint's event is looked for meanwhile; the first of them to be found wins.
 *
 * @throws `USER_OPERATION_REVERTED` when the operation's call reverted, `USER_OPERATION_TIMEOUT` when neither was found.
 */
export async function waitForUserOperationTransaction(
  context: Pick<ActionContext, 'account' | 'options'> & { client: RpcClient & { chain: Chain } },
  { hash, retries = {} }: { hash: Hex; retries?: WaitRetries | undefined },
): Promise<Hex> {
  const { client, options } = context
  const stop = new AbortController()
  const { signal } = stop
  const receipts = pollReceipt({
    client,
    hash,
    maxRetries: retries.maxRetries ?? options.txMaxRetries ?? 5,
    intervalMs: retries.intervalMs ?? options.txRetryIntervalMs ?? 2000,
    multiplier: retries.multiplier ?? options.txRetryMultiplier ?? 1.5,
    signal,
  })
  const intervalMs = watchInterval(options, client.chain.blockTime)
  const entryPoint = context.account.entryPoint.address
  const event =
    intervalMs > 0 ? watchEvent({ client, entryPoint, hash, intervalMs, signal }) : Promise.resolve(undefined)
  try {
    const seen = await Promise.race([receipts, event.then((found) => (found ? { found } : receipts))])
    if (seen.found) return settle(hash, seen.found)
    throw notFound(hash, 'lastError' in seen ? seen.lastError : undefined)
  } finally {
    stop.abort()
  }
}

function watchInterval({ txWatchIntervalMs }: ClientOptions, blockTime = 1000): number {
  return txWatchIntervalMs ?? Math.min(Math.max(blockTime, 100), 1000)
}

function settle(userOperationHash: Hex, { success, transactionHash, revertData }: Inclusion): Hex {
  if (success) return transactionHash
  const reason = formatRevert(revertData)
  throw new UserOperationRevertedError({ userOperationHash, transactionHash, revertData, reason })
}

function notFound(hash: Hex, lastError: unknown): BaseError {
  return new BaseError(`Failed to find transaction for user operation ${hash}`, {
    code: 'USER_OPERATION_TIMEOUT',
    metaMessages: [
      'It may still be included: ask again with `waitForUserOperationTransaction`.',
      ...(lastError instanceof BaseError ? [`Last attempt: ${lastError.shortMessage}`] : []),
    ],
    name: 'FailedToFindTransactionError',
  })
}
