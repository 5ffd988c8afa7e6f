import type { SimulateAssetChangesResult } from '../../../wire/gateway.ts'
import { pass } from '../../middleware/pass.ts'
import { requestAssetChanges } from '../../middleware/requestAssetChanges.ts'
import { simulate } from '../../middleware/simulate.ts'
import type { SendUserOperationParameters } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

export declare namespace simulateUserOperation {
  type Parameters = SendUserOperationParameters
  /** With an `error` the operation would fail: nothing would change. */
  type ReturnType = SimulateAssetChangesResult
}

/** Builds an operation and asks the provider what it would change. Nothing is signed or sent. */
export async function simulateUserOperation(
  context: ActionContext,
  parameters: simulateUserOperation.Parameters,
): Promise<simulateUserOperation.ReturnType> {
  // With `useSimulation` the stack would ask the same, and throw what is to be returned here.
  const { userOperationSimulator } = context.stack
  const stack = {
    ...context.stack,
    userOperationSimulator: userOperationSimulator === simulate ? pass : userOperationSimulator,
  }
  const uoStruct = await buildUserOperation({ ...context, stack }, parameters)
  return requestAssetChanges(context, uoStruct)
}
