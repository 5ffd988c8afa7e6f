import type { Hex, StateMapping, StateOverride } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { readObject, readQuantity, rpc } from '../rpc.ts'
import { settleGasField } from '../userOperation/gasValues.ts'
import { settleDraft, toHexFields, toRequest } from '../userOperation/states.ts'
import type { GasEstimate, SettledDraft } from '../userOperation/types.ts'
import { capGas } from './capCosts.ts'
import type { Middleware, MiddlewareContext } from './types.ts'

const fields = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const
const action = 'Could not estimate the gas of the operation.'

/**
 * Sets gas limits from the bundler's estimate. Applies overrides and fee options to each.
 *
 * @throws `COST_TOO_HIGH`.
 */
export const estimateGas: Middleware = async (draft, context) => {
  const { overrides, feeOptions } = context
  const settled = await settleDraft(draft)
  const estimate: SettledDraft = await requestGasEstimate(settled, context)
  const { paymasterGasFields, gasDefaults, paysItself } = getFormat(context.account)
  if (paysItself(settled)) capGas(estimate, settled, context)
  const settle = (field: GasField, value: bigint | undefined) =>
    [field, settleGasField({ value, override: overrides[field], option: feeOptions[field] })] as const
  const ofPaymaster = settled.paymaster ? paymasterGasFields : []
  const limits = [
    ...fields.map((field) => settle(field, estimate[field])),
    ...ofPaymaster.map((field) => settle(field, estimate[field] ?? settled[field] ?? gasDefaults[field])),
  ]
  return { ...settled, ...Object.fromEntries(limits) }
}

/** Calls `eth_estimateUserOperationGas` (ERC-7769) and returns the bundler's gas limits. */
export async function requestGasEstimate(
  operation: SettledDraft,
  { client, account, overrides: { stateOverride } }: Pick<MiddlewareContext, 'client' | 'account' | 'overrides'>,
): Promise<GasEstimate> {
  const { address } = account.entryPoint
  const params = [
    toRequest(operation),
    address,
    ...(stateOverride === undefined ? [] : [toStateOverride(stateOverride)]),
  ]
  const reply = readObject(await rpc(client, { method: 'eth_estimateUserOperationGas', params, action }), action)
  const read = (field: GasField) => [field, readQuantity(reply[field], action)] as const
  // Some bundlers return paymaster gas limits even without a paymaster. These limits would make the operation invalid.
  const ofPaymaster = operation.paymaster ? getFormat(account).paymasterGasFields : []
  const present = ofPaymaster.filter((field) => reply[field] !== undefined && reply[field] !== null)
  return Object.fromEntries([...fields, ...present].map(read)) as GasEstimate
}

/** Converts a viem state override to JSON-RPC form: an object by address, with quantities in hex. */
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
