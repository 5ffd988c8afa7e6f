import { getFormat } from '../../entryPoint/formats.ts'
import type { SendUserOperationParameters } from '../types.ts'
import { previewUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

/**
 * Checks whether a paymaster would sponsor an operation, without requesting its signature. Also returns false if the
 * check fails.
 *
 * @example
 * ```ts
 * import { checkGasSponsorshipEligibility } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * console.log(await checkGasSponsorshipEligibility(context, { uo }))
 * ```
 */
export async function checkGasSponsorshipEligibility<const uo>(
  context: ActionContext,
  parameters: SendUserOperationParameters<uo>,
): Promise<boolean> {
  try {
    const operation = await previewUserOperation(context, parameters)
    const data = operation[getFormat(context.account).paymasterDataField]
    return data !== undefined && data !== '0x'
  } catch {
    return false
  }
}
