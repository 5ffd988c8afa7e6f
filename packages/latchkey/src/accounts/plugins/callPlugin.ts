import type { Address, Client, Hex } from 'viem'
import { getPluginAddress, type PluginName } from '../../core/chains/getPluginAddress.ts'
import { callView } from '../reads/callView.ts'

/** Names a plugin that is not at the chain's own address. */
export type PluginAddressParameter = {
  /** Default: the chain's. */
  pluginAddress?: Address | undefined
}

/** Asks a plugin. Undefined where it has no answer. Throws `PLUGIN_NOT_FOUND`. */
export async function callPlugin(
  client: Client,
  name: PluginName,
  { pluginAddress, data }: PluginAddressParameter & { data: Hex },
): Promise<Hex | undefined> {
  const address = getPluginAddress({ name, chain: client.chain, address: pluginAddress })
  return callView({ client, address, data, action: `Could not ask the ${name} of the chain.` })
}
