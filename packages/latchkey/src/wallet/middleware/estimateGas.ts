import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { Middleware } from '../client/types.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { resolveDraft } from '../userOperation/resolveDraft.ts'
import { settleGasField } from '../userOperation/settleGasField.ts'
import { toRequest } from '../userOperation/toRequest.ts'
import { toStateOverride } from '../userOperation/toStateOverride.ts'

const fields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const
const action = 'Could not estimate the gas of the operation.'

/**
 * Gas limits from the bundler's estimate, each through its override or fee option. On EntryPoint 0.7 with a paymaster
 * also the paymaster's two; its `postOp` limit is 0 where nobody names one.
 */
export const estimateGas: Middleware = async (draft, { client, account, overrides, feeOptions }) => {
  const settled = await resolveDraft(draft)
  const { stateOverride } = overrides
  const estimate = readObject(
    await rpc(client, {
      method: 'eth_estimateUserOperationGas',
      params: [
        toRequest(settled),
        account.entryPoint.address,
        ...(stateOverride === undefined ? [] : [toStateOverride(stateOverride)]),
      ],
      action,
    }),
    action,
  )
  const settle = (field: GasField, fallback?: bigint) => {
    const found = estimate[field] ?? fallback
    const value = typeof found === 'bigint' ? found : readQuantity(found, action)
    return [field, settleGasField({ value, override: overrides[field], option: feeOptions[field] })] as const
  }
  const limits = fields.map((field) => settle(field))
  // Without a paymaster these two would make the operation invalid, though some bundlers return them.
  if (account.entryPointVersion === '0.7.0' && settled.paymaster) {
    limits.push(settle('paymasterVerificationGasLimit', settled.paymasterVerificationGasLimit))
    limits.push(settle('paymasterPostOpGasLimit', settled.paymasterPostOpGasLimit ?? 0n))
  }
  return { ...settled, ...Object.fromEntries(limits) }
}
