import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { BaseError } from '../../../core/errors/BaseError.ts'
import { requireAccountAddress } from '../../reads/callView.ts'
import { callPlugin, type PluginAddressParameter } from '../callPlugin.ts'
import type { ModularAccountParameter } from '../loupe/callLoupe.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export declare namespace getAccountSessionKeys {
  type Parameters = ModularAccountParameter & PluginAddressParameter
  /** EIP-55. Empty where the account has no SessionKeyPlugin. */
  type ReturnType = readonly Address[]
  type ErrorType = BaseError
}

/** Session keys of a modular account, the newest first. Throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`. */
export async function getAccountSessionKeys(
  client: Client,
  parameters: getAccountSessionKeys.Parameters = {},
): Promise<getAccountSessionKeys.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account)] as const
  const call = { abi: sessionKeyPluginAbi, functionName: 'sessionKeysOf' } as const
  const data = await callPlugin(client, 'SessionKeyPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : []
}
