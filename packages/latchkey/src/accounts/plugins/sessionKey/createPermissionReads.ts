import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { callPlugin, type PluginAddressParameter } from '../callPlugin.ts'
import { sessionKeyPluginAbi as abi } from './sessionKeyPluginAbi.ts'

/** Limit and amount spent, in wei or token units. `refreshInterval` is in seconds, `lastUsedTime` in Unix seconds. */
export type SpendLimit = {
  hasLimit: boolean
  limit: bigint
  limitUsed: bigint
  refreshInterval: number
  lastUsedTime: number
}

/** `shouldReset`: whether a new interval has started that the plugin has not recorded yet. */
export type GasLimit = SpendLimit & { shouldReset: boolean }

export declare namespace createPermissionReads {
  type Parameters = PluginAddressParameter & { account: Address; sessionKey: Address }
  type ReturnType = {
    /** Returns the time range in Unix seconds. 0 means no limit. */
    timeRange(): Promise<{ validFrom: number; validUntil: number }>
    accessType(): Promise<number>
    accessEntry(contract: Address): Promise<{ isOnList: boolean; checkSelectors: boolean }>
    isSelectorOnList(contract: Address, selector: Hex): Promise<boolean>
    nativeLimit(): Promise<SpendLimit>
    tokenLimit(token: Address): Promise<SpendLimit>
    gasLimit(): Promise<GasLimit>
    /** Returns the required paymaster; the zero address if there is none. */
    requiredPaymaster(): Promise<Address>
  }
}

/** Creates functions that read the SessionKeyPlugin's data about a key of an account. */
export function createPermissionReads(
  client: Client,
  { account, sessionKey, pluginAddress }: createPermissionReads.Parameters,
): createPermissionReads.ReturnType {
  const read = async (data: Hex) => (await callPlugin(client, 'SessionKeyPlugin', { pluginAddress, data })) ?? '0x'
  const key = [account, sessionKey] as const
  return {
    async timeRange() {
      const call = { abi, functionName: 'getKeyTimeRange' } as const
      const data = await read(encodeFunctionData({ ...call, args: key }))
      const [validFrom, validUntil] = decodeFunctionResult({ ...call, data })
      return { validFrom, validUntil }
    },
    async accessType() {
      const call = { abi, functionName: 'getAccessControlType' } as const
      return decodeFunctionResult({ ...call, data: await read(encodeFunctionData({ ...call, args: key })) })
    },
    async accessEntry(contract) {
      const call = { abi, functionName: 'getAccessControlEntry' } as const
      const data = await read(encodeFunctionData({ ...call, args: [...key, contract] }))
      const [isOnList, checkSelectors] = decodeFunctionResult({ ...call, data })
      return { isOnList, checkSelectors }
    },
    async isSelectorOnList(contract, selector) {
      const call = { abi, functionName: 'isSelectorOnAccessControlList' } as const
      const data = await read(encodeFunctionData({ ...call, args: [...key, contract, selector] }))
      return decodeFunctionResult({ ...call, data })
    },
    async nativeLimit() {
      const call = { abi, functionName: 'getNativeTokenSpendLimitInfo' } as const
      return decodeFunctionResult({ ...call, data: await read(encodeFunctionData({ ...call, args: key })) })
    },
    async tokenLimit(token) {
      const call = { abi, functionName: 'getERC20SpendLimitInfo' } as const
      const data = await read(encodeFunctionData({ ...call, args: [...key, token] }))
      return decodeFunctionResult({ ...call, data })
    },
    async gasLimit() {
      const call = { abi, functionName: 'getGasSpendLimit' } as const
      const data = await read(encodeFunctionData({ ...call, args: key }))
      const [info, shouldReset] = decodeFunctionResult({ ...call, data })
      return { ...info, shouldReset }
    },
    async requiredPaymaster() {
      const call = { abi, functionName: 'getRequiredPaymaster' } as const
      return decodeFunctionResult({ ...call, data: await read(encodeFunctionData({ ...call, args: key })) })
    },
  }
}
