import type { Hex } from 'viem'
import { getUserOperationReceipt } from '../actions/getUserOperationReceipt.ts'
import type { RpcClient } from '../types.ts'
import type { Inclusion } from './inclusion.ts'
import { pause } from './pause.ts'

export declare namespace pollReceipt {
  type Parameters = {
    client: RpcClient
    hash: Hex
    maxRetries: number
    intervalMs: number
    multiplier: number
    signal: AbortSignal
  }
  /** `lastError`: why the last attempt gave nothing. */
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
