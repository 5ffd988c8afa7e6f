import { runStack } from '../../middleware/runStack.ts'
import { initUserOperation } from '../../userOperation/initUserOperation.ts'
import { requireComplete } from '../../userOperation/requireComplete.ts'
import type { SendUserOperationParameters, UserOperationStruct } from '../types.ts'
import { type ActionContext, middlewareContext } from './context.ts'

export declare namespace buildUserOperation {
  type Parameters = SendUserOperationParameters
  /** Carries the dummy signature. */
  type ReturnType = UserOperationStruct
}

/** Runs every step but signing. */
export async function buildUserOperation(
  context: ActionContext,
  parameters: buildUserOperation.Parameters,
): Promise<buildUserOperation.ReturnType> {
  const { account } = context
  const draft = initUserOperation({ account, uo: parameters.uo, overrides: parameters.overrides ?? {} })
  const built = await runStack(context.stack, draft, middlewareContext(context, parameters))
  return requireComplete(built, account.entryPointVersion)
}
