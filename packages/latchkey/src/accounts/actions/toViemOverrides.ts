import { BaseError } from '../../core/errors/BaseError.ts'
import type { GasField, OperationOverrides } from './OperationClient.ts'

type Fixed = Omit<OperationOverrides, 'nonceKey'>

/**
 * Overrides as viem's `sendUserOperation` takes them. Throws `CLIENT_INCOMPATIBLE` for what it has no way to say,
 * `ARGUMENT_INVALID`.
 */
export function toViemOverrides(overrides: Fixed): { [field in GasField]?: bigint } {
  return Object.fromEntries(
    Object.entries(overrides)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, toBigInt(field, value)]),
  )
}

function toBigInt(field: string, value: Fixed[keyof Fixed]): bigint {
  const isValue = typeof value !== 'object' && value !== undefined && value !== '0x'
  if (isValue && /^(?:0x[0-9a-f]+|\d+)$/i.test(String(value))) return BigInt(value)
  if (isValue) {
    throw new BaseError(`\`overrides.${field}\` is not a whole number: ${value}`, {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass gas, or wei a gas, as a bigint.'],
    })
  }
  throw new BaseError(`A viem bundler client cannot do what \`overrides.${field}\` asks for.`, {
    code: 'CLIENT_INCOMPATIBLE',
    metaMessages: ['Give the value itself, or use a client of `createSmartAccountClient`.'],
  })
}
