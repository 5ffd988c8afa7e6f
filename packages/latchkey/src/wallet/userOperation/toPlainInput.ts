import { encodeFunctionData, type Hex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { AnyCall, AnyFunctionInput, AnyUserOperationInput, CallInput, UserOperationInput } from './types.ts'

/**
 * Encodes calls with a function name, and removes unknown members. The result can be sent and stored.
 *
 * @throws `ARGUMENT_INVALID` if a function or its arguments do not match the ABI.
 */
export function toPlainInput(uo: AnyUserOperationInput): UserOperationInput {
  if (typeof uo === 'string') return uo
  return 'map' in uo ? uo.map(toPlainCall) : toPlainCall(uo)
}

function toPlainCall(call: AnyCall<CallInput>): CallInput {
  return { target: call.target, data: toCallData(call), value: call.value }
}

/**
 * Returns the data of a call. Encodes the function and its arguments, if the call has them.
 *
 * @throws `ARGUMENT_INVALID` if the function or its arguments do not match the ABI.
 */
export function toCallData(call: { data?: Hex | undefined } | AnyFunctionInput): Hex {
  if (!('abi' in call)) return call.data ?? '0x'
  try {
    return encodeFunctionData(call)
  } catch (cause) {
    throw new BaseError(`The call of ${call.functionName} does not match its ABI. Correct it, or pass \`data\`.`, {
      code: 'ARGUMENT_INVALID',
      cause,
    })
  }
}
