import type { GasOverride } from '../../accounts/actions/OperationClient.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { FeeOption } from '../client/types.ts'
import { bigIntMultiply } from './bigIntMultiply.ts'

export declare namespace settleGasField {
  type Parameters = {
    /** What was estimated; undefined when nothing was. */
    value: bigint | undefined
    override?: GasOverride | undefined
    option?: FeeOption | undefined
  }
  type ReturnType = bigint
  type ErrorType = BaseError
}

/**
 * Final value of a gas or fee field. An override beats a fee option: an absolute one replaces the estimate, a factor
 * multiplies it. A fee option multiplies the estimate and then keeps it within `[min, max]`.
 * Throws `FEE_RANGE_INVALID`, `MULTIPLIER_INVALID`.
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
