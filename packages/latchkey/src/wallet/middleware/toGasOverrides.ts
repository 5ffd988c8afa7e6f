import { numberToHex } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { GasOverride, GasOverrides } from '../../wire/gateway.ts'
import type { MiddlewareContext } from '../client/types.ts'
import { bigIntMultiply } from '../userOperation/bigIntMultiply.ts'
import { gasFields } from '../userOperation/gasFields.ts'
import type { SettledDraft } from '../userOperation/resolveDraft.ts'

/**
 * What the gas manager must not settle by itself. For each field the first that applies: an absolute override, a factor
 * given as override, a fee option that is a factor and nothing else, a value set by a middleware. Bounds of a fee option
 * do not travel.
 */
export function toGasOverrides(
  draft: Pick<SettledDraft, GasField>,
  context: Pick<MiddlewareContext, 'account' | 'overrides' | 'feeOptions'>,
): GasOverrides {
  const fields = gasFields.slice(0, context.account.entryPointVersion === '0.7.0' ? 7 : 5)
  const entries = fields.map((field) => [field, overrideOf(field, draft, context)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function overrideOf(
  field: GasField,
  draft: Pick<SettledDraft, GasField>,
  { overrides, feeOptions }: Pick<MiddlewareContext, 'overrides' | 'feeOptions'>,
): GasOverride | undefined {
  const override = overrides[field]
  if (override !== undefined) {
    return typeof override === 'object' ? checked(override.multiplier) : numberToHex(BigInt(override))
  }
  const { min, max, multiplier } = feeOptions[field] ?? {}
  if (multiplier !== undefined && min === undefined && max === undefined) return checked(multiplier)
  return draft[field] ? numberToHex(draft[field]) : undefined
}

/** The same precision everywhere: a factor that would be refused here is not sent. */
function checked(multiplier: number): { multiplier: number } {
  bigIntMultiply(0n, multiplier)
  return { multiplier }
}
