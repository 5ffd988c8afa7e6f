import { errorCodes, type GasOverrides } from 'latchkey/wire'
import { type Hex, numberToHex } from 'viem'
import { z } from 'zod'
import { maxFeePerGas } from '../fees/maxFeePerGas.ts'
import { applyOverride } from '../overrides/applyOverride.ts'
import { parseAnswer } from '../rpc/parseAnswer.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { gasQuantity, maxGasValue } from './quantities.ts'
import type { Fees } from './types.ts'

/** Gas in units, fees in wei a unit. */
export type GasValues = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** The five fields in an operation that already has them. */
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

/** Estimates first, then the caller's overrides. `estimate` is the bundler's answer. */
export function settleGas(estimate: unknown, fees: Fees, overrides: GasOverrides): GasValues {
  const gas = parseAnswer(estimateSchema, estimate, 'a gas estimate')
  const tip = applyOverride(fees.tip, overrides.maxPriorityFeePerGas)
  return bounded({
    callGasLimit: applyOverride(BigInt(gas.callGasLimit), overrides.callGasLimit),
    verificationGasLimit: applyOverride(BigInt(gas.verificationGasLimit), overrides.verificationGasLimit),
    preVerificationGas: applyOverride(BigInt(gas.preVerificationGas), overrides.preVerificationGas),
    maxFeePerGas: applyOverride(maxFeePerGas(fees.baseFee, tip), overrides.maxFeePerGas),
    maxPriorityFeePerGas: tip,
  })
}

/** Throws `REQUEST_INVALID` for a value no entry point takes: a multiplier can make one. */
export function bounded<values extends Record<string, bigint>>(values: values): values {
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

export function gasToHex(gas: GasValues): Record<keyof GasValues, Hex> {
  return {
    callGasLimit: numberToHex(gas.callGasLimit),
    verificationGasLimit: numberToHex(gas.verificationGasLimit),
    preVerificationGas: numberToHex(gas.preVerificationGas),
    maxFeePerGas: numberToHex(gas.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(gas.maxPriorityFeePerGas),
  }
}
