import type { Hex } from 'viem'
import { fromTransactions } from '../../userOperation/fromTransactions.ts'
import type { TransactionsParameters } from '../types.ts'
import type { ActionContext } from './context.ts'
import { sendUserOperation } from './sendUserOperation.ts'
import { waitForUserOperationTransaction } from './waitForUserOperationTransaction.ts'

/**
 * Sends transactions as one user operation and waits until it is in a block. Returns the transaction hash.
 *
 * @throws `USER_OPERATION_INVALID` for a transaction of another sender, a transaction without `to`, or an invalid
 * quantity; errors of `sendUserOperation` and `waitForUserOperationTransaction`.
 *
 * @example
 * ```ts
 * import { sendTransactions } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const transaction = { to: '0x000000000000000000000000000000000000dEaD', value: 1n } as const
 * const hash = await sendTransactions(context, { requests: [transaction] })
 * console.log(hash)
 * ```
 */
export async function sendTransactions(context: ActionContext, parameters: TransactionsParameters): Promise<Hex> {
  const { batch, overrides } = fromTransactions(context.account.address, parameters.requests, parameters.overrides)
  const { hash, request } = await sendUserOperation(context, { uo: batch, overrides, context: parameters.context })
  return waitForUserOperationTransaction(context, { hash, request, signal: parameters.signal })
}
