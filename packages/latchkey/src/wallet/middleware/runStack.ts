import type { MiddlewareContext, UserOperationDraft } from '../client/types.ts'
import { resolveDraft, type SettledDraft } from '../userOperation/resolveDraft.ts'
import type { Stack } from './createStack.ts'
import { isUnsponsored } from './isUnsponsored.ts'
import { noPaymaster } from './noPaymaster.ts'
import { pass } from './pass.ts'

/** Runs the six steps before signing, in order, and waits for every value. */
export async function runStack(
  stack: Stack,
  draft: UserOperationDraft,
  context: MiddlewareContext,
): Promise<SettledDraft> {
  const unsponsored = isUnsponsored(context)
  const steps = [
    unsponsored ? noPaymaster : stack.dummyPaymasterAndData,
    stack.feeEstimator,
    stack.gasEstimator,
    stack.customMiddleware,
    unsponsored ? pass : stack.paymasterAndData,
    stack.userOperationSimulator,
  ]
  let current = draft
  for (const step of steps) current = await step(current, context)
  return resolveDraft(current)
}
