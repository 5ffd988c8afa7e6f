/* Status of calls (EIP-5792), by our wallet and by the gateway's wallet API. */

/** 400: abandoned without a transaction. 500: reverted. */
export const callsStatus = { pending: 100, confirmed: 200, dropped: 400, reverted: 500 } as const

export type CallsReceipt = {
  logs: readonly unknown[]
  status: '0x1' | '0x0'
  blockHash: unknown
  blockNumber: unknown
  gasUsed: unknown
  transactionHash: unknown
}

/**
 * Returns the receipt of calls (EIP-5792). Logs and status are taken from the operation, because the transaction around
 * it succeeds even if the operation reverts.
 *
 * @example
 * ```ts
 * import { toCallsReceipt } from 'latchkey-protocol'
 *
 * const operation = { success: true, logs: [], actualGasUsed: '0x1234' }
 * console.log(toCallsReceipt(operation, { transactionHash: `0x${'00'.repeat(32)}` }).status)
 * ```
 */
export function toCallsReceipt(
  operation: { success?: unknown; logs?: unknown; actualGasUsed?: unknown },
  transaction: { blockHash?: unknown; blockNumber?: unknown; gasUsed?: unknown; transactionHash?: unknown },
): CallsReceipt {
  const { blockHash, blockNumber, gasUsed, transactionHash } = transaction
  return {
    logs: Array.isArray(operation.logs) ? (operation.logs as unknown[]) : [],
    status: operation.success === true || operation.success === 'true' ? '0x1' : '0x0',
    blockHash,
    blockNumber,
    gasUsed: operation.actualGasUsed ?? gasUsed,
    transactionHash,
  }
}
