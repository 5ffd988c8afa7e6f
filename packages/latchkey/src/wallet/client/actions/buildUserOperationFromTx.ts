import { fromTransactions } from '../../userOperation/fromTransactions.ts'
import type { TransactionInput, UserOperationOverrides, UserOperationStruct } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

/** A transaction as a user operation, unsigned. Throws 'Transaction is missing `to` address set on request'. */
export async function buildUserOperationFromTx(
  context: ActionContext,
  transaction: TransactionInput,
  overrides?: UserOperationOverrides,
  custom?: unknown,
): Promise<UserOperationStruct> {
  const { batch, overrides: all } = fromTransactions(context.account.address, [transaction], overrides)
  return buildUserOperation(context, { uo: batch, overrides: all, context: custom })
}
