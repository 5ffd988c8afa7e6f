import type { GasOverride } from 'latchkey/wire'
import type { RpcError } from '../rpc/RpcError.ts'
import { multiply } from './multiply.ts'

export declare namespace applyOverride {
  type ErrorType = RpcError
}

/** The value to use: an absolute override (wei or gas, hex) replaces the estimate, `{multiplier}` multiplies it. */
export function applyOverride(estimate: bigint, override: GasOverride | undefined): bigint {
  if (override === undefined) return estimate
  return typeof override === 'string' ? BigInt(override) : multiply(estimate, override.multiplier)
}
