import type { Hex } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { toWaitError } from '../../errors/toWaitError.ts'
import type { WaitForUserOperationError } from '../../errors/WaitForUserOperationError.ts'
import { fromTransactions } from '../../userOperation/fromTransactions.ts'
import type { TransactionsParameters } from '../types.ts'
import type { ActionContext } from './context.ts'
import { sendUserOperation } from './sendUserOperation.ts'
import { waitForUserOperationTransaction } from './waitForUserOperationTransaction.ts'

export declare namespace sendTransactions {
  type Parameters = TransactionsParameters
  /** Hash of the transaction that included the operation. */
  type ReturnType = Hex
  type ErrorType = BaseError | WaitForUserOperationError
}

/** Sends transactions as one user operation and waits until it is in a block. */
export async function sendTransactions(
  context: ActionContext,
  parameters: sendTransactions.Parameters,
): Promise<sendTransactions.ReturnType> {
  const { batch, overrides } = fromTransactions(context.account.address, parameters.requests, parameters.overrides)
  const sent = await sendUserOperation(context, { uo: batch, overrides, context: parameters.context })
  try {
    return await waitForUserOperationTransaction(context, { hash: sent.hash })
  } catch (cause) {
    throw toWaitError(cause, sent.request)
  }
}
