import { type Address, type Hex, isAddress } from 'viem'
import { type EntryPointVersion, entryPoints } from '../../core/chains/entryPoints.ts'
import type { UserOperationRequest } from '../userOperation/types.ts'

/** Operation of a failed call, in JSON-RPC form. Any field may be missing. */
export type Attempt = {
  operation: Partial<UserOperationRequest> & { sender: Address }
  entryPoint: Address
  /** EntryPoint version; undefined for an unknown EntryPoint. */
  version: EntryPointVersion | undefined
}

/**
 * Finds the operation in a call's parameters, either as the first parameter or as a member of it. Returns undefined if
 * there is none.
 */
export function readAttempt(_method: string, [first, second]: readonly unknown[]): Attempt | undefined {
  const { userOperation, entryPoint = second } = toFields(first)
  const operation = toFields(userOperation ?? first)
  if (!isAddressText(operation.sender) || !isAddressText(entryPoint)) return undefined
  const { sender } = operation
  return { operation: { ...operation, sender }, entryPoint, version: findVersion(entryPoint, operation) }
}

function findVersion(entryPoint: Address, operation: Fields): EntryPointVersion | undefined {
  const versions = Object.keys(entryPoints) as EntryPointVersion[]
  const known = versions.find((each) => entryPoints[each].address.toLowerCase() === entryPoint.toLowerCase())
  if (known) return known
  return operation.initCode !== undefined || operation.paymasterAndData !== undefined ? '0.6.0' : undefined
}

export function readGas(value: Hex | undefined): bigint {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : 0n
}

type Fields = { readonly [name: string]: unknown }

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function isAddressText(value: unknown): value is Address {
  return typeof value === 'string' && isAddress(value, { strict: false })
}
