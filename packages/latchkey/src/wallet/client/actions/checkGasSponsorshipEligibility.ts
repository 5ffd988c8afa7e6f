import type { SendUserOperationParameters } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'

export declare namespace checkGasSponsorshipEligibility {
  type Parameters = SendUserOperationParameters
  type ReturnType = boolean
}

/** Whether a paymaster would pay for an operation. Also false when it could not be found out. */
export async function checkGasSponsorshipEligibility(
  context: ActionContext,
  parameters: checkGasSponsorshipEligibility.Parameters,
): Promise<checkGasSponsorshipEligibility.ReturnType> {
  try {
    const { paymasterAndData, paymasterData } = await buildUserOperation(context, parameters)
    const data = context.account.entryPointVersion === '0.6.0' ? paymasterAndData : paymasterData
    return data !== undefined && data !== '0x'
  } catch {
    return false
  }
}
