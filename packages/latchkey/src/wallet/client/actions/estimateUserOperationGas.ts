import { getFormat } from '../../entryPoint/formats.ts'
import { requestGasEstimate } from '../../middleware/estimateGas.ts'
import { settleDraft } from '../../userOperation/states.ts'
import type { GasEstimate } from '../../userOperation/types.ts'
import type { SendUserOperationParameters } from '../types.ts'
import { encode, startDraft } from './buildUserOperation.ts'
import { type ActionContext, middlewareContext } from './context.ts'

/**
 * Returns the bundler's estimate of an operation's gas limits (`eth_estimateUserOperationGas`, ERC-7769), without
 * paymaster and fees, and before overrides and fee options.
 *
 * @throws `ARGUMENT_INVALID`, `COST_TOO_HIGH`; `CONTRACT_REVERTED`, `USER_OPERATION_INVALID` if the operation would
 * fail; `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED`, `RATE_LIMIT_EXCEEDED`, `RPC_FAILED`, `RESPONSE_INVALID` if a
 * service fails.
 *
 * @example
 * ```ts
 * import { estimateUserOperationGas } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { callGasLimit } = await estimateUserOperationGas(context, { uo })
 * console.log(callGasLimit)
 * ```
 */
export async function estimateUserOperationGas<const uo>(
  context: ActionContext,
  parameters: SendUserOperationParameters<uo>,
): Promise<GasEstimate> {
  const { account } = context
  const draft = startDraft(account, encode(account, parameters.uo), parameters.overrides)
  const settled = await settleDraft({ ...draft, ...getFormat(account).noPaymaster })
  return requestGasEstimate(settled, middlewareContext(context, parameters))
}
