import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { callManifest } from './callManifest.ts'

const abi = /* @__PURE__ */ parseAbi([
  'struct SelectorPermission { bytes4 functionSelector; string permissionDescription; }',
  'struct PluginMetadata { string name; string version; string author; SelectorPermission[] permissionDescriptors; }',
  'function pluginMetadata() pure returns (PluginMetadata)',
])

export declare namespace getPluginMetadata {
  type Parameters = { pluginAddress: Address }
  type ReturnType = {
    name: string
    /** For example `1.0.0`. */
    version: string
    author: string
    /** What some of its functions let their caller do, in words. */
    permissionDescriptors: readonly { functionSelector: Hex; permissionDescription: string }[]
  }
  type ErrorType = BaseError
}

/**
 * Who a plugin says it is (ERC-6900 v0.7): its own words, which anyone can write. Throws `PLUGIN_NOT_FOUND` where there
 * is none, `ADDRESS_INVALID`.
 */
export async function getPluginMetadata(
  client: Client,
  { pluginAddress }: getPluginMetadata.Parameters,
): Promise<getPluginMetadata.ReturnType> {
  const call = { abi, functionName: 'pluginMetadata' } as const
  const data = await callManifest(client, { pluginAddress, data: encodeFunctionData(call) })
  return decodeFunctionResult({ ...call, data })
}
