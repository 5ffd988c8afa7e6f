import type { Address, Client, Hex } from 'viem'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import type { PluginName } from '../../core/chains/plugins.ts'
import { callView } from '../reads/callView.ts'

/** Account parameter of actions for modular accounts. */
export type ModularAccountParameter = {
  /** @default the client's account */
  account?: Address | undefined
}

/** Plugin address, if it differs from the chain's default. */
export type PluginAddressParameter = {
  /** @default the chain's plugin */
  pluginAddress?: Address | undefined
}

/**
 * Returns the result of a plugin's view function; undefined if the call has no result.
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
