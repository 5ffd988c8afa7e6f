import type { Address, Client, Hex } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { callView } from '../../reads/callView.ts'

/** Asks any plugin what it is. Throws `PLUGIN_NOT_FOUND` where it has no answer, `ADDRESS_INVALID`. */
export async function callManifest(
  client: Client,
  { pluginAddress, data }: { pluginAddress: Address; data: Hex },
): Promise<Hex> {
  const address = requireAddress(pluginAddress)
  const answer = await callView({ client, address, data, action: 'Could not read the manifest of the plugin.' })
  if (answer) return answer
  throw new BaseError(`There is no plugin at ${address}.`, {
    code: 'PLUGIN_NOT_FOUND',
    metaMessages: ['Check the address and the chain.'],
  })
}
