import { type Address, concat, getAddress, type Hex, numberToHex, slice } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

/** Validation function or hook of a plugin (ERC-6900 v0.7). `functionId` is the plugin's own id of the function. */
export type FunctionReference = { plugin: Address; functionId: number }

/**
 * Encodes a function reference as 21 bytes: plugin address and function id.
 *
 * @throws `ADDRESS_INVALID`, `USER_OPERATION_INVALID`.
 *
 * @example
 * ```ts
 * import { encodeFunctionReference, getPluginAddress } from 'latchkey/accounts'
 *
 * const plugin = getPluginAddress({ name: 'MultiOwnerPlugin' })
 * console.log(encodeFunctionReference({ plugin, functionId: 1 }))
 * ```
 */
export function encodeFunctionReference({ plugin, functionId }: FunctionReference): Hex {
  if (!Number.isInteger(functionId) || functionId < 0 || functionId > 255) {
    throw new BaseError(`${functionId} is not the number of a plugin's function.`, {
      code: 'USER_OPERATION_INVALID',
      metaMessages: ['Pass a whole number from 0 to 255.'],
    })
  }
  return concat([requireAddress(plugin), numberToHex(functionId, { size: 1 })]).toLowerCase() as Hex
}

/**
 * Decodes plugin address and function id from 21 bytes.
 *
 * @example
 * ```ts
 * import { decodeFunctionReference } from 'latchkey/accounts'
 *
 * const { plugin, functionId } = decodeFunctionReference('0xce0000007b008f50d762d155002600004cd6c64701')
 * console.log(plugin, functionId)
 * ```
 */
export function decodeFunctionReference(reference: Hex): FunctionReference {
  return { plugin: getAddress(slice(reference, 0, 20)), functionId: Number(slice(reference, 20, 21)) }
}
