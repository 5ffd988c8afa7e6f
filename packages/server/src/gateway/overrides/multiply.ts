import { errorCodes } from 'latchkey/wire'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'

const maxDecimals = 4
const maxMultiplier = 1_000_000

export declare namespace multiply {
  type ErrorType = RpcError
}

/**
 * `value × multiplier`, rounded up. The multiplier has at most four decimals and is scaled to an integer first, so
 * 1.15 is exactly 115/100.
 */
export function multiply(value: bigint, multiplier: number): bigint {
  // The shortest decimal text of the number: what the sender wrote.
  const [, fraction = ''] = String(multiplier).split('.')
  if (!(multiplier > 0 && multiplier <= maxMultiplier) || /e/.test(String(multiplier)) || fraction.length > maxDecimals)
    throw new RpcError(
      `The multiplier ${multiplier} is not usable. Use a number above 0, at most ${maxMultiplier}, with at most ${maxDecimals} decimals.`,
      { code: errorCodes.MULTIPLIER_INVALID, rpcCode: rpcCodes.invalidParams },
    )
  const scale = 10n ** BigInt(fraction.length)
  const scaled = BigInt(Math.round(multiplier * 10 ** fraction.length))
  return (value * scaled + scale - 1n) / scale
}
