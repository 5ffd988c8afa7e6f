import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import { callPlugin, type PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace isAccountSessionKey {
  type Parameters = ModularAccountParameter &
    PluginAddressParameter & {
      key: Address
    }
  type ReturnType = boolean
  type ErrorType = BaseError
}

/**
 * Whether an address is a session key of a modular account. Throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`,
 * `ADDRESS_INVALID`.
 */
export async function isAccountSessionKey(
  client: Client,
  parameters: isAccountSessionKey.Parameters,
): Promise<isAccountSessionKey.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account), requireAddress(parameters.key)] as const
  const call = { abi: sessionKeyPluginAbi, functionName: 'isSessionKeyOf' } as const
  const data = await callPlugin(client, 'SessionKeyPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : false
}
