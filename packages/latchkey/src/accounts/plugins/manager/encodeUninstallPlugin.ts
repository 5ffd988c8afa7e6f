import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { modularAccountAbi } from '../../modularAccount/modularAccountAbi.ts'
import { encodeManifest, type PluginManifest } from '../manifest/encodeManifest.ts'

const configParameters = /* @__PURE__ */ parseAbiParameters([
  'UninstallPluginConfig config',
  'struct UninstallPluginConfig { bytes serializedManifest; bool forceUninstall; uint256 callbackGasLimit; }',
])

export declare namespace encodeUninstallPlugin {
  type Parameters = {
    pluginAddress: Address
    /** Manifest it was installed with. Default: the account asks the plugin. */
    manifest?: PluginManifest | undefined
    /** Take it out even where its callback fails. Default false. */
    forceUninstall?: boolean | undefined
    /** Gas the callback may use; 0, the default, is no limit. */
    callbackGasLimit?: bigint | undefined
    /** What the plugin is told on removal. Default empty. */
    pluginUninstallData?: Hex | undefined
  }
  type ReturnType = Hex
  type ErrorType = BaseError
}

/** Call data of a modular account that takes a plugin out (ERC-6900 v0.7). Throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`. */
export function encodeUninstallPlugin(parameters: encodeUninstallPlugin.Parameters): encodeUninstallPlugin.ReturnType {
  const {
    pluginAddress,
    manifest,
    forceUninstall = false,
    callbackGasLimit = 0n,
    pluginUninstallData = '0x',
  } = parameters
  const isPlain = !manifest && !forceUninstall && callbackGasLimit === 0n
  const serializedManifest = manifest ? encodeManifest(manifest) : '0x'
  requireUint('The gas limit of a callback', callbackGasLimit, 256)
  const config = { serializedManifest, forceUninstall, callbackGasLimit } as const
  return encodeFunctionData({
    abi: modularAccountAbi,
    functionName: 'uninstallPlugin',
    args: [
      requireAddress(pluginAddress),
      isPlain ? '0x' : encodeAbiParameters(configParameters, [config]),
      requireBytes('What a plugin is told on removal', pluginUninstallData),
    ],
  })
}
