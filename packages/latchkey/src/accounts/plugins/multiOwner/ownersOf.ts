import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import { callPlugin, type PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { multiOwnerPluginAbi } from './multiOwnerPluginAbi.ts'

export declare namespace ownersOf {
  type Parameters = ModularAccountParameter & PluginAddressParameter
  /** EIP-55. Empty where the account has no MultiOwnerPlugin, or is undeployed. */
  type ReturnType = readonly Address[]
  type ErrorType = BaseError
}

/** Owners of a modular account, as its MultiOwnerPlugin has them. Throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`. */
export async function ownersOf(client: Client, parameters: ownersOf.Parameters = {}): Promise<ownersOf.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account)] as const
  const call = { abi: multiOwnerPluginAbi, functionName: 'ownersOf' } as const
  const data = await callPlugin(client, 'MultiOwnerPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : []
}
