import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { requireAddress } from '../../../core/chains/requireAddress.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { callView } from '../../reads/callView.ts'
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
  const action = 'Could not read the manifest of the plugin.'
  const data = await callView({
    client,
    address: requireAddress(pluginAddress),
    data: encodeFunctionData(call),
    action,
  })
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError(`There is no plugin at ${pluginAddress}.`, {
    code: 'PLUGIN_NOT_FOUND',
    metaMessages: ['Check the address and the chain.'],
  })
}
