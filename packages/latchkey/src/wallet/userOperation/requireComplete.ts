import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { EntryPointVersion } from '../../core/chains/entryPoints.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { UserOperationStruct } from '../client/types.ts'
import type { SettledDraft } from './resolveDraft.ts'

/** A user operation whose gas and fees are known. */
export type CompleteUserOperation = UserOperationStruct & {
  [field in Exclude<GasField, `paymaster${string}`>]: bigint
}

export declare namespace requireComplete {
  type ErrorType = BaseError
}

/** The draft as a whole user operation. Throws `USER_OPERATION_INVALID` when something is missing. */
export function requireComplete(draft: SettledDraft, version: EntryPointVersion): CompleteUserOperation {
  if (isComplete(draft) && (version === '0.6.0' ? isComplete06(draft) : isComplete07(draft))) return draft
  throw new BaseError(
    `Request is missing parameters. All properties on UserOperationStruct must be set. uo: ${print(draft)}`,
    { code: 'USER_OPERATION_INVALID', name: 'InvalidUserOperationError' },
  )
}

function isComplete(draft: SettledDraft): draft is CompleteUserOperation {
  const { sender, nonce, callData, signature, maxPriorityFeePerGas } = draft
  const named = [sender, nonce, callData, signature, maxPriorityFeePerGas].every((value) => value !== undefined)
  const { callGasLimit = 0n, maxFeePerGas = 0n, preVerificationGas = 0n, verificationGasLimit = 0n } = draft
  return named && [callGasLimit, maxFeePerGas, preVerificationGas, verificationGasLimit].every((value) => value > 0n)
}

function isComplete06({ initCode, paymasterAndData }: SettledDraft): boolean {
  return initCode !== undefined && paymasterAndData !== undefined
}

/** Factory and its data: both or neither. The paymaster's four members: all or none. */
function isComplete07(draft: SettledDraft): boolean {
  const { factory, factoryData, paymaster, paymasterData } = draft
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = draft
  return (
    isAllOrNone([factory, factoryData]) &&
    isAllOrNone([paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit])
  )
}

function isAllOrNone(values: readonly unknown[]): boolean {
  const present = values.filter((value) => value !== undefined).length
  return present === 0 || present === values.length
}

function print(draft: SettledDraft): string {
  const readable = (_: string, value: unknown) =>
    typeof value === 'bigint' ? { type: 'bigint', value: value.toString() } : value
  return JSON.stringify(draft, readable, 2)
}
