import { type Hex, numberToHex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { EntryPointFormat } from '../entryPoint/EntryPointFormat.ts'
import type {
  CompleteUserOperation,
  SettledDraft,
  SignedUserOperation,
  UserOperationDraft,
  UserOperationField,
  UserOperationRequest,
} from './types.ts'

// Conversions between the states of a user operation in `types.ts`. Signing is a step of the stack.

/** Awaits the values of a draft and omits undefined ones. */
export async function settleDraft(draft: UserOperationDraft): Promise<SettledDraft> {
  const entries = await Promise.all(Object.entries(draft).map(async ([name, value]) => [name, await value] as const))
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null))
}

/**
 * Checks that a draft is a complete user operation.
 *
 * @throws `USER_OPERATION_INVALID` if a field is missing.
 */
export function requireComplete(draft: SettledDraft, format: EntryPointFormat): CompleteUserOperation {
  if (isComplete(draft, format)) return draft
  throw new BaseError(
    `Request is missing parameters. All properties on UserOperationStruct must be set. uo: ${print(draft)}`,
    { code: 'USER_OPERATION_INVALID', name: 'InvalidUserOperationError' },
  )
}

/** Converts a user operation, or part of one, to JSON-RPC form: quantities as minimal hex, other fields unchanged. */
export function toRequest(operation: SignedUserOperation): UserOperationRequest
export function toRequest(draft: SettledDraft): Partial<UserOperationRequest>
export function toRequest(draft: SettledDraft): Partial<UserOperationRequest> {
  return toHexFields(draft)
}

/** Converts fields to JSON-RPC form: quantities as minimal hex, other fields unchanged. Omits undefined fields. */
export function toHexFields<fields extends object>(fields: fields): { [name in keyof fields]?: ToHex<fields[name]> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  const entries = present.map(([name, value]) => [
    name,
    typeof value === 'bigint' || typeof value === 'number' ? numberToHex(value) : value,
  ])
  return Object.fromEntries(entries)
}

type ToHex<value> = value extends bigint | number ? Hex : value

const requiredFields = ['sender', 'nonce', 'callData', 'signature', 'maxPriorityFeePerGas'] as const
const positiveFields = ['callGasLimit', 'maxFeePerGas', 'preVerificationGas', 'verificationGasLimit'] as const

function isComplete(draft: SettledDraft, format: EntryPointFormat): draft is CompleteUserOperation {
  const isPresent = (field: UserOperationField) => draft[field] !== undefined
  return (
    [...requiredFields, ...format.requiredFields].every(isPresent) &&
    positiveFields.every((field) => (draft[field] ?? 0n) > 0n) &&
    format.fieldGroups.every((group) => group.every(isPresent) || !group.some(isPresent))
  )
}

function print(draft: SettledDraft): string {
  const readable = (_: string, value: unknown) =>
    typeof value === 'bigint' ? { type: 'bigint', value: value.toString() } : value
  return JSON.stringify(draft, readable, 2)
}
