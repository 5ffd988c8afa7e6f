import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { callManifest } from './callManifest.ts'
import type { PluginManifest } from './encodeManifest.ts'
import { pluginManifestAbi } from './pluginManifestAbi.ts'

export declare namespace getPluginManifest {
  type Parameters = { pluginAddress: Address }
  type ReturnType = PluginManifest
  type ErrorType = BaseError
}

/** The manifest of a plugin, from the plugin itself. Throws `PLUGIN_NOT_FOUND` where there is none, `ADDRESS_INVALID`. */
export async function getPluginManifest(
  client: Client,
  { pluginAddress }: getPluginManifest.Parameters,
): Promise<getPluginManifest.ReturnType> {
  const call = { abi: pluginManifestAbi, functionName: 'pluginManifest' } as const
  const data = await callManifest(client, { pluginAddress, data: encodeFunctionData(call) })
  return decodeFunctionResult({ ...call, data })
}
