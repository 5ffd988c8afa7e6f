import type { Hex, StateMapping, StateOverride } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleGasField } from '../userOperation/gasValues.ts'
import { settleDraft, toHexFields, toRequest } from '../userOperation/states.ts'
import type { Middleware } from './types.ts'

const fields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const
const action = 'Could not estimate the gas of the operation.'

/**
 * Gas limits from the bundler's estimate (`eth_estimateUserOperationGas`, ERC-7769), each through its override or fee
 * option.
 */
export const estimateGas: Middleware = async (draft, { client, account, overrides, feeOptions }) => {
  const settled = await settleDraft(draft)
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
  const settle = (field: GasField, found: unknown) => {
    const value = typeof found === 'bigint' ? found : readQuantity(found, action)
    return [field, settleGasField({ value, override: overrides[field], option: feeOptions[field] })] as const
  }
  const { paymasterGasFields, gasDefaults } = getFormat(account)
  // Some bundlers return the paymaster's limits without a paymaster. They would make the operation invalid.
  const ofPaymaster = settled.paymaster ? paymasterGasFields : []
  const limits = [
    ...fields.map((field) => settle(field, estimate[field])),
    ...ofPaymaster.map((field) => settle(field, estimate[field] ?? settled[field] ?? gasDefaults[field])),
  ]
  return { ...settled, ...Object.fromEntries(limits) }
}

/** A viem state override in the form nodes and bundlers take: an object by address, quantities in hex. */
function toStateOverride(override: StateOverride): Record<Hex, Record<string, unknown>> {
  const entries = override.map(({ address, balance, nonce, code, state, stateDiff }) => [
    address,
    toHexFields({ balance, nonce, code, state: state && toSlots(state), stateDiff: stateDiff && toSlots(stateDiff) }),
  ])
  return Object.fromEntries(entries)
}

function toSlots(mapping: StateMapping): Record<Hex, Hex> {
  return Object.fromEntries(mapping.map(({ slot, value }) => [slot, value]))
}
