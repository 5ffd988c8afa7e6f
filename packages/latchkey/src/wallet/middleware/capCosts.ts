import { BaseError } from '../../core/errors/BaseError.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { bigIntMax, bigIntMultiply } from '../userOperation/gasValues.ts'
import { settleDraft, toRequest } from '../userOperation/states.ts'
import type { SettledDraft, UserOperationDraft } from '../userOperation/types.ts'
import type { MiddlewareContext } from './types.ts'

// If the account pays, the client caps the costs that a bundler or provider reports, because a bundler earns the
// priority fee and all of `preVerificationGas`. An app's absolute overrides are not capped.

const oneGwei = 10n ** 9n
/**
 * Upper bound for `callGasLimit` and `verificationGasLimit`. EntryPoints refund at least nine tenths of the unused gas.
 */
const mostGas = 30_000_000n
/** Base gas of a transaction plus the EntryPoint's overhead for an operation. */
const fixedGas = 40_000n
/** Gas of a non-zero byte of call data (EIP-2028). */
const gasPerByte = 16n

/** Checks a reported priority fee against `feeFactor`. @throws `COST_TOO_HIGH`. */
export function capPriorityFee(reported: bigint, baseFee: bigint, { overrides, costCaps }: MiddlewareContext): void {
  if (isAbsolute(overrides.maxPriorityFeePerGas)) return
  const { feeFactor = 10 } = costCaps
  const most = bigIntMultiply(bigIntMax(baseFee, oneGwei), feeFactor)
  if (reported > most) throw tooHigh({ field: 'maxPriorityFeePerGas', reported, most, cap: 'feeFactor' })
}

/**
 * Checks reported fees against `feeFactor`. The maximum fee may allow for a rising base fee.
 * @throws `COST_TOO_HIGH`.
 */
export function capFees(
  { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }: SettledDraft,
  baseFee: bigint,
  context: MiddlewareContext,
): void {
  capPriorityFee(maxPriorityFeePerGas, baseFee, context)
  if (isAbsolute(context.overrides.maxFeePerGas)) return
  const { feeFactor = 10 } = context.costCaps
  const most = maxPriorityFeePerGas + bigIntMultiply(bigIntMax(baseFee, oneGwei), feeFactor)
  if (maxFeePerGas > most) throw tooHigh({ field: 'maxFeePerGas', reported: maxFeePerGas, most, cap: 'feeFactor' })
}

/** Checks an estimate of gas limits against the bounds. @throws `COST_TOO_HIGH`. */
export function capGas(estimate: SettledDraft, operation: SettledDraft, context: MiddlewareContext): void {
  const { gasFactor = 100 } = context.costCaps
  const bytes = BigInt((JSON.stringify(toRequest(operation)).length / 2) | 0)
  const caps = {
    callGasLimit: mostGas,
    verificationGasLimit: mostGas,
    preVerificationGas: bigIntMultiply(fixedGas + bytes * gasPerByte, gasFactor),
  }
  for (const field of ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const) {
    const reported = estimate[field] ?? 0n
    if (reported <= caps[field] || isAbsolute(context.overrides[field])) continue
    throw tooHigh({ field, reported, most: caps[field], cap: 'gasFactor' })
  }
}

/** Checks whether the account pays, according to the paymaster fields so far. */
export async function paysItself(draft: UserOperationDraft, { account }: MiddlewareContext): Promise<boolean> {
  const { paymasterAndData, paymaster } = draft
  return getFormat(account).paysItself(await settleDraft({ paymasterAndData, paymaster }))
}

function isAbsolute(override: unknown): boolean {
  return override !== undefined && typeof override !== 'object'
}

type ExcessiveCost = { field: string; reported: bigint; most: bigint; cap: string }

function tooHigh({ field, reported, most, cap }: ExcessiveCost): BaseError {
  return new BaseError(
    `The service asks for more than this account should pay: ${field} is ${reported}, at most ${most}.`,
    {
      code: 'COST_TOO_HIGH',
      metaMessages: [
        'Nothing was signed. Check that the URL of the connection is a service you trust.',
        `If the chain really is that expensive, raise \`opts.costCaps.${cap}\`, or pass \`overrides.${field}\`.`,
      ],
    },
  )
}
