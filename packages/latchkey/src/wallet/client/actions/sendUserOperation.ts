import type { SendUserOperationParameters, SendUserOperationResult } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'
import { sendBuilt } from './sendBuilt.ts'

export declare namespace sendUserOperation {
  type Parameters = SendUserOperationParameters
  type ReturnType = SendUserOperationResult
}

/** Builds, signs and sends. Resolves when the bundler has taken the operation, not when it is in a block. */
export async function sendUserOperation(
  context: ActionContext,
  parameters: sendUserOperation.Parameters,
): Promise<sendUserOperation.ReturnType> {
  const start = performance.now()
  const uoStruct = await buildUserOperation(context, parameters)
  return sendBuilt(context, { uoStruct, context: parameters.context, start })
}
