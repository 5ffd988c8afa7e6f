import { type Address, type Client, decodeFunctionResult, encodeFunctionData } from 'viem'
import { callLoupe, type ModularAccountParameter } from './callLoupe.ts'
import { loupeAbi } from './loupeAbi.ts'

export declare namespace getInstalledPlugins {
  type Parameters = ModularAccountParameter
  type ReturnType = readonly Address[]
  type ErrorType = never
}

/** Plugins installed on an account (ERC-6900 v0.7). Empty on any failure, and while the account is undeployed. */
export async function getInstalledPlugins(
  client: Client,
  { account }: getInstalledPlugins.Parameters = {},
): Promise<getInstalledPlugins.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getInstalledPlugins' } as const
  try {
    const data = await callLoupe(client, { account, data: encodeFunctionData(call) })
    return decodeFunctionResult({ ...call, data })
  } catch {
    return []
  }
}
