import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import { callPlugin, type PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { sessionKeyNotFound } from './sessionKeyNotFound.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

/**
 * The entry before a session key in the plugin's linked list of an account's keys, which has to be named to take the
 * key out. Throws `SESSION_KEY_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export async function findPredecessor(
  client: Client,
  parameters: ModularAccountParameter & PluginAddressParameter & { key: Address },
): Promise<Hex> {
  const key = requireAddress(parameters.key)
  const account = requireAccountAddress(client, parameters.account)
  const call = { abi: sessionKeyPluginAbi, functionName: 'findPredecessor' } as const
  const data = encodeFunctionData({ ...call, args: [account, key] })
  const answer = await callPlugin(client, 'SessionKeyPlugin', { ...parameters, data })
  if (answer) return decodeFunctionResult({ ...call, data: answer })
  throw sessionKeyNotFound(key, account)
}
