import { type ContractFunctionReturnType, encodeFunctionResult, type Hex } from 'viem'
import { pluginManifestAbi } from './pluginManifestAbi.ts'

/** A plugin's manifest as it answers it (ERC-6900 v0.7). */
export type PluginManifest = ContractFunctionReturnType<typeof pluginManifestAbi, 'pure', 'pluginManifest'>

/** ABI encoding of a manifest: what its hash is taken of, and what an uninstall may pass instead of asking the plugin. */
export function encodeManifest(manifest: PluginManifest): Hex {
  return encodeFunctionResult({ abi: pluginManifestAbi, functionName: 'pluginManifest', result: manifest })
}
