import { fromTransactions } from '../../userOperation/fromTransactions.ts'
import type { CallInput, TransactionsParameters, UserOperationOverrides, UserOperationStruct } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

export declare namespace buildUserOperationFromTxs {
  type Parameters = TransactionsParameters
  /** `overrides`: those given, with the largest fees the transactions name. */
  type ReturnType = { uoStruct: UserOperationStruct; batch: CallInput[]; overrides: UserOperationOverrides }
}

/** Several transactions as one user operation, unsigned. */
export async function buildUserOperationFromTxs(
  context: ActionContext,
  parameters: buildUserOperationFromTxs.Parameters,
): Promise<buildUserOperationFromTxs.ReturnType> {
  const { batch, overrides } = fromTransactions(context.account.address, parameters.requests, parameters.overrides)
  const uoStruct = await buildUserOperation(context, { uo: batch, overrides, context: parameters.context })
  return { uoStruct, batch, overrides }
}
