import {
  type Abi,
  type Address,
  concat,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseEventLogs,
  toFunctionSelector,
  toHex,
} from 'viem'
import type { TestChain } from '../chain.ts'
import { pluginAbi } from './modularAccountAbis.ts'
import { deploy, encodeManifest, errors, type Manifest, type ModularTestAccount } from './modularAccounts.ts'

const scriptAbi = parseAbi([
  'event Asked(address indexed account, bytes data)',
  'function answer(bytes4 selector, bytes data, bool reverts)',
  'function deny(bytes4 interfaceId, bool isDenied)',
  'function act(address target, bytes data) payable returns (bytes result)',
  'function step(bytes4 selector, address target, bytes data)',
])

export type ScriptedPlugin = Awaited<ReturnType<typeof deployPlugin>>

export const none = { functionType: 0, functionId: 0, dependencyIndex: 0n }
export const self = (functionId: number) => ({ functionType: 1, functionId, dependencyIndex: 0n })
export const dependency = (index: bigint) => ({ functionType: 2, functionId: 0, dependencyIndex: index })
export const alwaysAllow = { functionType: 3, functionId: 0, dependencyIndex: 0n }
export const alwaysDeny = { functionType: 4, functionId: 0, dependencyIndex: 0n }

/** Associates a function of the plugin with a function selector of the account. */
export const associated = (executionSelector: Hex, associatedFunction: ReturnType<typeof self>) => ({
  executionSelector,
  associatedFunction,
})

/** Returns the reference by which accounts identify a plugin's function. */
export const toReference = (plugin: Address, id: number) =>
  concat([plugin.toLowerCase() as Hex, toHex(id, { size: 1 })])

export const ask = Object.fromEntries(
  pluginAbi.flatMap((item) => (item.type === 'function' ? [[item.name, toFunctionSelector(item)]] : [])),
) as Record<AskedFunction, Hex>
type AskedFunction =
  | 'onInstall'
  | 'onUninstall'
  | 'pluginManifest'
  | 'postExecutionHook'
  | 'preExecutionHook'
  | 'preRuntimeValidationHook'
  | 'preUserOpValidationHook'
  | 'runtimeValidationFunction'
  | 'userOpValidationFunction'

/** Deploys a plugin whose return values a test sets. */
export async function deployPlugin(chain: TestChain, manifest: Partial<Manifest> = {}) {
  const address = await deploy(chain, 'ScriptedPlugin')
  const { read, transact } = chain.client(2)
  const plugin = {
    address,
    manifestHash: '0x' as Hex,
    async respond(selector: Hex, data: Hex, reverts = false) {
      const args = [selector, data, reverts] as const
      await transact({ to: address, data: encodeFunctionData({ abi: scriptAbi, functionName: 'answer', args }) })
    },
    async setManifest(next: Partial<Manifest>) {
      const encoded = encodeManifest(next)
      plugin.manifestHash = keccak256(encoded)
      await plugin.respond(ask.pluginManifest, encoded)
    },
    async deny(interfaceId: Hex, isDenied = true) {
      const args = [interfaceId, isDenied] as const
      await transact({ to: address, data: encodeFunctionData({ abi: scriptAbi, functionName: 'deny', args }) })
    },
    /** Makes the plugin call a target before it returns. If that call reverts, the plugin reverts. */
    async step(selector: Hex, target: Address, data: Hex) {
      const args = [selector, target, data] as const
      await transact({ to: address, data: encodeFunctionData({ abi: scriptAbi, functionName: 'step', args }) })
    },
    /** Makes the plugin call a target. Rejects if that call reverts. */
    async act(target: Address, data: Hex, value = 0n): Promise<Hex> {
      const call = { address, abi: [...scriptAbi, ...errors] as Abi, functionName: 'act', args: [target, data], value }
      const { result } = await read.simulateContract({ ...call, account: chain.client(2).account })
      await transact({ to: address, data: encodeFunctionData(call), value })
      return result as Hex
    },
  }
  await plugin.setManifest(manifest)
  return plugin
}

export function encodeInstall(
  { account }: ModularTestAccount,
  plugin: Pick<ScriptedPlugin, 'address' | 'manifestHash'>,
  { manifestHash = plugin.manifestHash, data = '0x' as Hex, dependencies = [] as readonly Hex[] } = {},
) {
  return { ...account, functionName: 'installPlugin', args: [plugin.address, manifestHash, data, dependencies] }
}

export function encodeUninstall(
  { account }: ModularTestAccount,
  { address }: { address: Address },
  config: Hex = '0x',
  data: Hex = '0x',
) {
  return { ...account, functionName: 'uninstallPlugin', args: [address, config, data] }
}

/** Returns the calls that plugins received, in order. */
export function askedIn(logs: Parameters<typeof parseEventLogs>[0]['logs']): { plugin: Address; data: Hex }[] {
  return parseEventLogs({ abi: scriptAbi, logs, eventName: 'Asked' }).map(({ address, args }) => ({
    plugin: getAddress(address),
    data: args.data,
  }))
}
