import type { SimulateAssetChangesResult } from 'latchkey-protocol'
import { requestAssetChanges } from '../../middleware/simulate.ts'
import type { SendUserOperationParameters } from '../types.ts'
import { previewUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

/**
 * Asks the provider what an operation would change. Nothing is signed, by a paymaster neither, or sent. A result with an
 * `error` says that the operation would fail: nothing would change.
 *
 * @example
 * ```ts
 * import { simulateUserOperation } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { changes, error } = await simulateUserOperation(context, { uo })
 * console.log(changes, error?.message)
 * ```
 */
export async function simulateUserOperation<const uo>(
  context: ActionContext,
  parameters: SendUserOperationParameters<uo>,
): Promise<SimulateAssetChangesResult> {
  return requestAssetChanges(context, await previewUserOperation(context, parameters))
}
