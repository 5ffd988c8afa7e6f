import type { Middleware } from '../client/types.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { resolveDraft } from '../userOperation/resolveDraft.ts'
import { settleGasField } from '../userOperation/settleGasField.ts'
import { toRequest } from '../userOperation/toRequest.ts'
import { toStateOverride } from '../userOperation/toStateOverride.ts'

const fields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const
const action = 'Could not estimate the gas of the operation.'

/** Gas limits from the bundler's estimate, each through its override or fee option. */
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
  const settle = (field: (typeof fields)[number] | 'paymasterVerificationGasLimit') =>
    settleGasField({
      value: readQuantity(estimate[field], action),
      override: overrides[field],
      option: feeOptions[field],
    })
  const limits = Object.fromEntries(fields.map((field) => [field, settle(field)]))
  // Without a paymaster these two would make the operation invalid, though some bundlers return them.
  const paymaster =
    account.entryPointVersion === '0.7.0' && settled.paymaster
      ? {
          ...(estimate.paymasterVerificationGasLimit === undefined
            ? {}
            : { paymasterVerificationGasLimit: settle('paymasterVerificationGasLimit') }),
          paymasterPostOpGasLimit: settled.paymasterPostOpGasLimit ?? 0n,
        }
      : {}
  return { ...settled, ...limits, ...paymaster }
}
