import { type Address, concat, getAddress, type Hex, numberToHex, slice } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

/** A validation function or hook of a plugin (ERC-6900 v0.7): the plugin and the number it knows the function by. */
export type FunctionReference = { plugin: Address; functionId: number }

/** The 21 bytes a reference travels in. Throws `ADDRESS_INVALID`, `USER_OPERATION_INVALID`. */
export function encodeFunctionReference({ plugin, functionId }: FunctionReference): Hex {
  if (!Number.isInteger(functionId) || functionId < 0 || functionId > 255) {
    throw new BaseError(`${functionId} is not the number of a plugin's function.`, {
      code: 'USER_OPERATION_INVALID',
      metaMessages: ['Pass a whole number from 0 to 255.'],
    })
  }
  return concat([requireAddress(plugin), numberToHex(functionId, { size: 1 })]).toLowerCase() as Hex
}

export function decodeFunctionReference(reference: Hex): FunctionReference {
  return { plugin: getAddress(slice(reference, 0, 20)), functionId: Number(slice(reference, 20, 21)) }
}
