import { type Address, isAddress } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { EntryPointVersion } from '../../core/chains/entryPoints.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { readHex, readObject, readQuantity } from '../rpc.ts'
import type { SettledDraft } from '../userOperation/resolveDraft.ts'

export declare namespace readSponsorship {
  type Options = { action: string; version: EntryPointVersion; withGas: boolean }
}

const commonFields = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const
const paymasterFields = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const

/** A gas manager's answer as fields of the operation. Throws `RESPONSE_INVALID`. */
export function readSponsorship(value: unknown, options: readSponsorship.Options): SettledDraft {
  const { action, version, withGas } = options
  const answer = readObject(value, action)
  const quantities = (fields: readonly GasField[]) =>
    Object.fromEntries(fields.map((field) => [field, readQuantity(answer[field], action)]))
  const gas = withGas ? quantities(commonFields) : {}
  if (version === '0.6.0') return { ...gas, paymasterAndData: readHex(answer.paymasterAndData, action) }
  // The separate flow's answer may leave out the paymaster's limits: then those that were sent hold.
  const limits = paymasterFields.filter((field) => withGas || answer[field] !== undefined)
  return {
    ...gas,
    ...quantities(limits),
    paymaster: readAddress(answer.paymaster, action),
    paymasterData: readHex(answer.paymasterData, action),
  }
}

function readAddress(value: unknown, action: string): Address {
  if (typeof value === 'string' && isAddress(value, { strict: false })) return value
  throw new BaseError(`${action} The service's answer was not an address.`, { code: 'RESPONSE_INVALID' })
}
