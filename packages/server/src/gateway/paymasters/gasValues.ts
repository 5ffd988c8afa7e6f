import { errorCodes, type GasOverride, type GasOverrides } from 'latchkey-protocol'
import { type Hex, numberToHex } from 'viem'
import { z } from 'zod'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { gasQuantity, maxGasValue, parseResult } from '../rpc/values.ts'
import type { Fees } from './PaymasterScheme.ts'

/** Gas in units, fees in wei per unit. */
export type GasValues = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Schema of the five fields of an operation that are already set. */
export const filledGasShape = {
  callGasLimit: gasQuantity,
  verificationGasLimit: gasQuantity,
  preVerificationGas: gasQuantity,
  maxFeePerGas: gasQuantity,
  maxPriorityFeePerGas: gasQuantity,
}

const estimateSchema = z.object({
  callGasLimit: gasQuantity,
  verificationGasLimit: gasQuantity,
  preVerificationGas: gasQuantity,
})

/** Applies the caller's overrides to the estimates. `estimate` is the bundler's result. */
export function settleGas(estimate: unknown, fees: Fees, overrides: GasOverrides): GasValues {
  const gas = parseResult(estimateSchema, estimate, 'a gas estimate')
  const tip = settleTip(fees, overrides.maxPriorityFeePerGas)
  return requireBounded({
    callGasLimit: applyOverride(BigInt(gas.callGasLimit), overrides.callGasLimit),
    verificationGasLimit: applyOverride(BigInt(gas.verificationGasLimit), overrides.verificationGasLimit),
    preVerificationGas: applyOverride(BigInt(gas.preVerificationGas), overrides.preVerificationGas),
    maxFeePerGas: applyOverride(maxFeePerGas(fees.baseFee, tip), overrides.maxFeePerGas),
    maxPriorityFeePerGas: tip,
  })
}

/**
 * Returns the tip. Caps a multiplied tip at the highest allowed tip. An absolute tip stays unchanged and is refused
 * later if it is too high.
 */
function settleTip({ tip, highestTip }: Fees, override: GasOverride | undefined): bigint {
  const settled = applyOverride(tip, override)
  const isLimited = typeof override === 'object' && highestTip !== undefined && settled > highestTip
  return isLimited ? highestTip : settled
}

/**
 * Returns the values if every entry point accepts them. A multiplier can make a value too large.
 *
 * @throws `REQUEST_INVALID`.
 */
export function requireBounded<values extends Record<string, bigint>>(values: values): values {
  for (const [name, value] of Object.entries(values)) {
    if (value > maxGasValue)
      throw new RpcError(`${name} comes to ${value}, and must be below 2^120. Use a lower override.`, {
        code: errorCodes.REQUEST_INVALID,
        rpcCode: rpcCodes.invalidParams,
      })
  }
  return values
}

export function readGas(values: Record<keyof GasValues, string>): GasValues {
  return {
    callGasLimit: BigInt(values.callGasLimit),
    verificationGasLimit: BigInt(values.verificationGasLimit),
    preVerificationGas: BigInt(values.preVerificationGas),
    maxFeePerGas: BigInt(values.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(values.maxPriorityFeePerGas),
  }
}

export function pickGas(operation: GasValues): GasValues {
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = operation
  return { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas }
}

export function gasToHex(gas: GasValues): Record<keyof GasValues, Hex> {
  return {
    callGasLimit: numberToHex(gas.callGasLimit),
    verificationGasLimit: numberToHex(gas.verificationGasLimit),
    preVerificationGas: numberToHex(gas.preVerificationGas),
    maxFeePerGas: numberToHex(gas.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(gas.maxPriorityFeePerGas),
  }
}

/**
 * Returns `ceil(baseFee × 1.5) + tip` in wei: enough for the base fee to rise for about three full blocks (EIP-1559
 * raises it by at most an eighth per block).
 */
export function maxFeePerGas(baseFee: bigint, tip: bigint): bigint {
  return (baseFee * 3n + 1n) / 2n + tip
}

/** Applies an override: an absolute value (wei or gas, hex) replaces the estimate, `{multiplier}` multiplies it. */
export function applyOverride(estimate: bigint, override: GasOverride | undefined): bigint {
  if (override === undefined) return estimate
  return typeof override === 'string' ? BigInt(override) : multiply(estimate, override.multiplier)
}

const maxDecimals = 4
const maxMultiplier = 1_000_000

/**
 * Returns `value × multiplier`, rounded up. The multiplier has at most four decimals and is scaled to an integer first,
 * so 1.15 is exactly 115/100.
 *
 * @throws `MULTIPLIER_INVALID`.
 */
export function multiply(value: bigint, multiplier: number): bigint {
  // The number's shortest decimal text equals what the sender wrote.
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
