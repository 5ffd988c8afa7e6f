import type { SimulateAssetChangesResult } from 'latchkey-protocol'
import { requestAssetChanges } from '../../middleware/simulate.ts'
import type { SendUserOperationParameters } from '../types.ts'
import { previewUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

/**
 * Requests the asset changes of an operation from the provider. Signs and sends nothing, and requests no paymaster
 * signature. A result with an `error` means that the operation would fail.
 *
 * @throws Errors of `buildUserOperation`. Does not throw for a call that would revert: the result's `error` contains
 * the reason.
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
