import type { GasOverride } from '../../accounts/actions/OperationClient.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { FeeOption } from './types.ts'

export declare namespace settleGasField {
  type Parameters = {
    /** Estimate; undefined if there is none. */
    value: bigint | undefined
    override?: GasOverride | undefined
    option?: FeeOption | undefined
  }
  type ReturnType = bigint
}

/**
 * Returns the final value of a gas or fee field. An override takes precedence over a fee option: an absolute override
 * replaces the estimate, and a factor multiplies it. A fee option multiplies the estimate and limits the result to
 * `[min, max]`.
 *
 * @throws `FEE_RANGE_INVALID`, `MULTIPLIER_INVALID`.
 */
export function settleGasField({ value, override, option }: settleGasField.Parameters): settleGasField.ReturnType {
  if (override !== undefined && typeof override !== 'object') return BigInt(override)
  if (override !== undefined && value !== undefined) return bigIntMultiply(value, override.multiplier)
  return applyOption(value, option)
}

function applyOption(value: bigint | undefined, option: FeeOption = {}): bigint {
  const { min, max, multiplier } = option
  if (value === undefined) return min ?? 0n
  if (min !== undefined && max !== undefined && max < min) {
    throw new BaseError(`invalid range: upper bound ${max} is less than lower bound ${min}`, {
      code: 'FEE_RANGE_INVALID',
      metaMessages: ['Check `min` and `max` of the fee options.'],
    })
  }
  const scaled = multiplier === undefined ? value : bigIntMultiply(value, multiplier)
  if (min !== undefined && scaled < min) return min
  return max !== undefined && scaled > max ? max : scaled
}

const maxDecimals = 4

/**
 * Multiplies a bigint exactly by a number with at most four decimals, then rounds up or down.
 *
 * @throws `MULTIPLIER_INVALID`.
 */
export function bigIntMultiply(base: bigint, multiplier: number, rounding: 'up' | 'down' = 'up'): bigint {
  const decimals = String(multiplier).split('.')[1]?.length ?? 0
  if (!/^\d+(\.\d+)?$/.test(String(multiplier)) || decimals > maxDecimals) {
    throw new BaseError('bigIntMultiply requires a multiplier validated number as the second argument', {
      code: 'MULTIPLIER_INVALID',
      metaMessages: [`Multiplier: ${multiplier}`, `Max precision is ${maxDecimals} decimal places`],
    })
  }
  const scale = 10n ** BigInt(decimals)
  // Rounds, because 1.15 * 100 is 114.99… in floating point.
  const product = base * BigInt(Math.round(multiplier * Number(scale)))
  return rounding === 'up' ? (product + scale - 1n) / scale : product / scale
}

export function bigIntMax(first: bigint, ...more: readonly bigint[]): bigint {
  let largest = first
  for (const value of more) if (value > largest) largest = value
  return largest
}
