import type { SimulateAssetChangesResult } from '../../../wire/gateway.ts'
import { requestAssetChanges, simulate } from '../../middleware/simulate.ts'
import type { SendUserOperationParameters } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

/**
 * Builds an operation and asks the provider what it would change. Nothing is signed or sent. A result with an `error`
 * says that the operation would fail: nothing would change.
 */
export async function simulateUserOperation(
  context: ActionContext,
  parameters: SendUserOperationParameters,
): Promise<SimulateAssetChangesResult> {
  // With `useSimulation` the stack would send the same request, and throw what is to be returned here.
  const { userOperationSimulator } = context.stack
  const stack = {
    ...context.stack,
    userOperationSimulator: userOperationSimulator === simulate ? undefined : userOperationSimulator,
  }
  return requestAssetChanges(context, await buildUserOperation({ ...context, stack }, parameters))
}
