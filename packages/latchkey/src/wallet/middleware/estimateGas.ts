import { type Hex, numberToHex, type StateMapping, type StateOverride } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleGasField } from '../userOperation/gasValues.ts'
import { settleDraft, toRequest } from '../userOperation/states.ts'
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
  const settle = (field: GasField, fallback?: bigint) => {
    const found = estimate[field] ?? fallback
    const value = typeof found === 'bigint' ? found : readQuantity(found, action)
    return [field, settleGasField({ value, override: overrides[field], option: feeOptions[field] })] as const
  }
  const limits = fields.map((field) => settle(field))
  // Some bundlers return the paymaster's limits without a paymaster. They would make the operation invalid.
  if (settled.paymaster) {
    for (const { name, fallback } of getFormat(account).paymasterGasFields) {
      limits.push(settle(name, settled[name] ?? fallback))
    }
  }
  return { ...settled, ...Object.fromEntries(limits) }
}

/** A viem state override in the form nodes and bundlers take: an object by address, quantities in hex. */
function toStateOverride(override: StateOverride): Record<Hex, Record<string, unknown>> {
  const entries = override.map(({ address, balance, nonce, code, state, stateDiff }) => [
    address,
    {
      ...(balance === undefined ? {} : { balance: numberToHex(balance) }),
      ...(nonce === undefined ? {} : { nonce: numberToHex(nonce) }),
      ...(code === undefined ? {} : { code }),
      ...(state === undefined ? {} : { state: toSlots(state) }),
      ...(stateDiff === undefined ? {} : { stateDiff: toSlots(stateDiff) }),
    },
  ])
  return Object.fromEntries(entries)
}

function toSlots(mapping: StateMapping): Record<Hex, Hex> {
  return Object.fromEntries(mapping.map(({ slot, value }) => [slot, value]))
}
