import { requireComplete } from '../../userOperation/requireComplete.ts'
import { resolveDraft } from '../../userOperation/resolveDraft.ts'
import { toRequest } from '../../userOperation/toRequest.ts'
import type { UserOperationRequest, UserOperationStruct } from '../types.ts'
import { type ActionContext, middlewareContext } from './context.ts'

export declare namespace signUserOperation {
  type Parameters = { uoStruct: UserOperationStruct; context?: unknown }
  type ReturnType = UserOperationRequest
}

/** Signs a built operation and gives the form in which it travels. */
export async function signUserOperation(
  context: ActionContext,
  { uoStruct, context: custom }: signUserOperation.Parameters,
): Promise<signUserOperation.ReturnType> {
  const version = context.account.entryPointVersion
  const complete = requireComplete(uoStruct, version)
  const signed = await context.stack.signUserOperation(complete, middlewareContext(context, { context: custom }))
  return toRequest(requireComplete(await resolveDraft(signed), version)) as UserOperationRequest
}
