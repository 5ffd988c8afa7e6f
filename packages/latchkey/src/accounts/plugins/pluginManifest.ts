import {
  type Address,
  type Client,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  keccak256,
  parseAbi,
} from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { callView } from '../reads/callView.ts'

/** Function that returns a plugin's manifest (ERC-6900 v0.7, plugin manifest). */
export const pluginManifestAbi = /* @__PURE__ */ parseAbi([
  'struct ManifestFunction { uint8 functionType; uint8 functionId; uint256 dependencyIndex; }',
  'struct ManifestAssociatedFunction { bytes4 executionSelector; ManifestFunction associatedFunction; }',
  'struct ManifestExecutionHook { bytes4 executionSelector; ManifestFunction preExecHook; ManifestFunction postExecHook; }',
  'struct ManifestExternalCallPermission { address externalAddress; bool permitAnySelector; bytes4[] selectors; }',
  'struct PluginManifest { bytes4[] interfaceIds; bytes4[] dependencyInterfaceIds; bytes4[] executionFunctions; bytes4[] permittedExecutionSelectors; bool permitAnyExternalAddress; bool canSpendNativeToken; ManifestExternalCallPermission[] permittedExternalCalls; ManifestAssociatedFunction[] userOpValidationFunctions; ManifestAssociatedFunction[] runtimeValidationFunctions; ManifestAssociatedFunction[] preUserOpValidationHooks; ManifestAssociatedFunction[] preRuntimeValidationHooks; ManifestExecutionHook[] executionHooks; }',
  'function pluginManifest() pure returns (PluginManifest)',
])

/** Manifest returned by a plugin (ERC-6900 v0.7). */
export type PluginManifest = ContractFunctionReturnType<typeof pluginManifestAbi, 'pure', 'pluginManifest'>

export declare namespace getPluginManifest {
  type Parameters = { pluginAddress: Address }
  type ReturnType = PluginManifest
}

/**
 * Reads the manifest from a plugin.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getPluginAddress, getPluginManifest } from 'latchkey/accounts'
 * import { chain, publicClient } from './config.ts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin', chain })
 * const { executionFunctions } = await getPluginManifest(publicClient, { pluginAddress })
 * console.log(executionFunctions)
 * ```
 */
export async function getPluginManifest(
  client: Client,
  { pluginAddress }: getPluginManifest.Parameters,
): Promise<getPluginManifest.ReturnType> {
  const call = { abi: pluginManifestAbi, functionName: 'pluginManifest' } as const
  const data = await callManifest(client, { pluginAddress, data: encodeFunctionData(call) })
  return decodeFunctionResult({ ...call, data })
}

/**
 * ABI-encodes a manifest. `hashManifest` hashes this encoding. Pass the manifest to `uninstallPlugin` to save the
 * account a call to the plugin.
 *
 * @example
 * ```ts
 * import { encodeManifest, getPluginAddress, getPluginManifest } from 'latchkey/accounts'
 * import { chain, publicClient } from './config.ts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin', chain })
 * console.log(encodeManifest(await getPluginManifest(publicClient, { pluginAddress })))
 * ```
 */
export function encodeManifest(manifest: PluginManifest): Hex {
  return encodeFunctionResult({ abi: pluginManifestAbi, functionName: 'pluginManifest', result: manifest })
}

/**
 * Returns the keccak256 hash of an encoded manifest. With this hash, `installPlugin` installs exactly the manifest that
 * the owners have reviewed.
 *
 * @example
 * ```ts
 * import { getPluginAddress, getPluginManifest, hashManifest } from 'latchkey/accounts'
 * import { chain, publicClient } from './config.ts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin', chain })
 * console.log(hashManifest(await getPluginManifest(publicClient, { pluginAddress })))
 * ```
 */
export function hashManifest(manifest: PluginManifest): Hex {
  return keccak256(encodeManifest(manifest))
}

const metadataAbi = /* @__PURE__ */ parseAbi([
  'struct SelectorPermission { bytes4 functionSelector; string permissionDescription; }',
  'struct PluginMetadata { string name; string version; string author; SelectorPermission[] permissionDescriptors; }',
  'function pluginMetadata() pure returns (PluginMetadata)',
])

export declare namespace getPluginMetadata {
  type Parameters = { pluginAddress: Address }
  type ReturnType = {
    name: string
    /** Version, such as `1.0.0`. */
    version: string
    author: string
    /** Descriptions of the permissions that certain functions require. */
    permissionDescriptors: readonly { functionSelector: Hex; permissionDescription: string }[]
  }
}

/**
 * Returns name, version, author and permission descriptions of a plugin (ERC-6900 v0.7). These values come from the
 * plugin and are not verified.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getPluginAddress, getPluginMetadata } from 'latchkey/accounts'
 * import { chain, publicClient } from './config.ts'
 *
 * const pluginAddress = getPluginAddress({ name: 'SessionKeyPlugin', chain })
 * const { name, version } = await getPluginMetadata(publicClient, { pluginAddress })
 * console.log(name, version)
 * ```
 */
export async function getPluginMetadata(
  client: Client,
  { pluginAddress }: getPluginMetadata.Parameters,
): Promise<getPluginMetadata.ReturnType> {
  const call = { abi: metadataAbi, functionName: 'pluginMetadata' } as const
  const data = await callManifest(client, { pluginAddress, data: encodeFunctionData(call) })
  return decodeFunctionResult({ ...call, data })
}

async function callManifest(
  client: Client,
  { pluginAddress, data }: { pluginAddress: Address; data: Hex },
): Promise<Hex> {
  const address = requireAddress(pluginAddress)
  const result = await callView({ client, address, data, action: 'Could not read the manifest of the plugin.' })
  if (result) return result
  throw new BaseError(`There is no plugin at ${address}.`, {
    code: 'PLUGIN_NOT_FOUND',
    metaMessages: ['Check the address and the chain.'],
  })
}
