import type { Address, Client, Hex } from 'viem'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import type { PluginName } from '../../core/chains/plugins.ts'
import { callView } from '../reads/callView.ts'

/** The modular account an action is about. */
export type ModularAccountParameter = {
  /** @default the account of the client */
  account?: Address | undefined
}

/** A plugin that is not at the chain's own address. */
export type PluginAddressParameter = {
  /** @default the chain's */
  pluginAddress?: Address | undefined
}

/**
 * Result of a plugin's view function; undefined where there is none.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export async function callPlugin(
  client: Client,
  name: PluginName,
  { pluginAddress, data }: PluginAddressParameter & { data: Hex },
): Promise<Hex | undefined> {
  const address = getPluginAddress({ name, chain: client.chain, address: pluginAddress })
  return callView({ client, address, data, action: `Could not ask the ${name} of the chain.` })
}
