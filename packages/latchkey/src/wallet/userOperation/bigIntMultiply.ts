import { BaseError } from '../../core/errors/BaseError.ts'

export declare namespace bigIntMultiply {
  type ErrorType = BaseError
}

const maxDecimals = 4

/**
 * A bigint times a number of at most four decimals, exactly, then rounded up or down.
 * Throws `MULTIPLIER_INVALID`.
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
  // 1.15 * 100 is 114.99… in floating point.
  const product = base * BigInt(Math.round(multiplier * Number(scale)))
  return rounding === 'up' ? (product + scale - 1n) / scale : product / scale
}
