import { type Address, encodeFunctionData, type Hex } from 'viem'
import { requireAddress, requireBytes, requireExactBytes } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { modularAccountAbi } from '../../modularAccount/modularAccountAbi.ts'
import { encodeFunctionReference, type FunctionReference } from '../functionReference.ts'

export declare namespace encodeInstallPlugin {
  type Parameters = {
    pluginAddress: Address
    /** keccak256 of the encoded manifest: see `hashManifest`. */
    manifestHash: Hex
    /** What the plugin is told on installation. Default empty. */
    pluginInitData?: Hex | undefined
    /** Functions of other plugins that this one builds on, in the order of its manifest. Default none. */
    dependencies?: readonly FunctionReference[] | undefined
  }
  type ReturnType = Hex
  type ErrorType = BaseError
}

/** Call data of a modular account that installs a plugin (ERC-6900 v0.7). Throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`. */
export function encodeInstallPlugin(parameters: encodeInstallPlugin.Parameters): encodeInstallPlugin.ReturnType {
  const { pluginAddress, manifestHash, pluginInitData = '0x', dependencies = [] } = parameters
  return encodeFunctionData({
    abi: modularAccountAbi,
    functionName: 'installPlugin',
    args: [
      requireAddress(pluginAddress),
      requireExactBytes('The hash of a manifest', manifestHash, 32),
      requireBytes('What a plugin is told on installation', pluginInitData),
      dependencies.map(encodeFunctionReference),
    ],
  })
}
