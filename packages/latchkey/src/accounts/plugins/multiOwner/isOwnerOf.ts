import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { requireAddress } from '../../../core/arguments.ts'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import { callPlugin, type PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { multiOwnerPluginAbi } from './multiOwnerPluginAbi.ts'

export declare namespace isOwnerOf {
  type Parameters = ModularAccountParameter &
    PluginAddressParameter & {
      /** Who may be an owner. */
      address: Address
    }
  type ReturnType = boolean
  type ErrorType = BaseError
}

/**
 * Whether an address is among the owners of a modular account. Throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`,
 * `ADDRESS_INVALID`.
 */
export async function isOwnerOf(client: Client, parameters: isOwnerOf.Parameters): Promise<isOwnerOf.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account), requireAddress(parameters.address)] as const
  const call = { abi: multiOwnerPluginAbi, functionName: 'isOwnerOf' } as const
  const data = await callPlugin(client, 'MultiOwnerPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : false
}
