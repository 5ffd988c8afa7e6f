import { type Address, encodeFunctionData, type Hex, parseAbi, toFunctionSelector, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { modularAccountAbi as abi } from '../../../../test/contracts/modularAccountAbis.ts'
import {
  createModularAccount,
  type Manifest,
  type ModularTestAccount,
  plugins,
} from '../../../../test/contracts/modularAccounts.ts'
import { revertOf } from '../../../../test/contracts/revertOf.ts'
import {
  alwaysDeny,
  ask,
  askedIn,
  deployPlugin,
  installOf,
  none,
  type ScriptedPlugin,
  self,
  uninstallOf,
} from '../../../../test/contracts/scriptedPlugins.ts'
import { startTestChain, type TestChain } from '../../../../test/contracts/testChain.ts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

/** Every permission a manifest can ask for, and what happens without it. */

const served = '0x11111111'
const { demo } = devAddresses
const demoAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
])
const mint = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [demo, 1n] })
const approve = encodeFunctionData({ abi: demoAbi, functionName: 'approve', args: [demo, 1n] })

let chain: TestChain
let it: ModularTestAccount
/** Brings the function `served`. */
let server: ScriptedPlugin
beforeAll(async () => {
  chain = await startTestChain()
})
beforeEach(async () => {
  it = await createModularAccount(chain)
  server = await install({ executionFunctions: [served] })
  await server.answer(served, toHex(7, { size: 32 }))
})
afterAll(() => chain.close())

async function install(manifest: Partial<Manifest>): Promise<ScriptedPlugin> {
  const plugin = await deployPlugin(chain, manifest)
  await it.by.transact({ to: it.address, data: encodeFunctionData(installOf(it, plugin)), gas: 3_000_000n })
  return plugin
}

const fromPlugin = (plugin: ScriptedPlugin, data: Hex) =>
  plugin.act(it.address, encodeFunctionData({ abi, functionName: 'executeFromPlugin', args: [data] }))
const outside = (plugin: ScriptedPlugin, target: Address, data: Hex = '0x', value = 0n, sent = 0n) =>
  plugin.act(
    it.address,
    encodeFunctionData({ abi, functionName: 'executeFromPluginExternal', args: [target, value, data] }),
    sent,
  )
const notPermitted = ({ address }: ScriptedPlugin, target: Address, data: Hex = '0x', value = 0n) => ({
  name: 'ExecFromPluginExternalNotPermitted',
  args: [address, target, value, data],
})

test('default', async () => {
  const plugin = await install({ permitAnyExternalAddress: true, permittedExecutionSelectors: [served] })
  await outside(plugin, demo, mint)
  await fromPlugin(plugin, served)
})

test('param: permittedExecutionSelectors', async () => {
  const plugin = await install({ permittedExecutionSelectors: [served] })
  await fromPlugin(plugin, `${served}abcd`)
  const without = await install({ permitAnyExternalAddress: true, canSpendNativeToken: true })
  const refused = { name: 'ExecFromPluginNotPermitted', args: [without.address, served] }
  expect(await revertOf(fromPlugin(without, served))).toEqual(refused)
  // The functions of the account itself are nobody's to ask for.
  const native = await install({ permittedExecutionSelectors: ['0xb61d27f6', '0xc5f0e8d1', '0x4f1ef286'] })
  for (const selector of ['0xb61d27f6', '0xc5f0e8d1', '0x4f1ef286'] as const)
    expect(await revertOf(fromPlugin(native, selector))).toEqual({ name: 'UnrecognizedFunction', args: [selector] })
  const nothing = await install({ permittedExecutionSelectors: ['0x00000000', '0x99999999'] })
  expect((await revertOf(fromPlugin(nothing, '0x'))).name).toBe('UnrecognizedFunction')
  expect((await revertOf(fromPlugin(nothing, '0x99999999'))).name).toBe('UnrecognizedFunction')
})

test('param: permitAnyExternalAddress', async () => {
  await outside(await install({ permitAnyExternalAddress: true }), demo, mint)
  const without = await install({ canSpendNativeToken: true, permittedExecutionSelectors: [served] })
  expect(await revertOf(outside(without, demo, mint))).toEqual(notPermitted(without, demo, mint))
})

test('param: permittedExternalCalls of an address', async () => {
  const permission = { externalAddress: demo, permitAnySelector: true, selectors: [] }
  const plugin = await install({ permittedExternalCalls: [permission] })
  await outside(plugin, demo, mint)
  await outside(plugin, demo, approve)
  const other = it.stranger.address
  expect(await revertOf(outside(plugin, other))).toEqual(notPermitted(plugin, other))
})

test('param: permittedExternalCalls of functions', async () => {
  const permission = { externalAddress: demo, permitAnySelector: false, selectors: [mint.slice(0, 10) as Hex] }
  const plugin = await install({ permittedExternalCalls: [permission] })
  await outside(plugin, demo, mint)
  for (const data of [approve, '0x', mint.slice(0, 8) as Hex] as const)
    expect(await revertOf(outside(plugin, demo, data))).toEqual(notPermitted(plugin, demo, data))
  const other = it.stranger.address
  expect(await revertOf(outside(plugin, other, mint))).toEqual(notPermitted(plugin, other, mint))
})

test('param: canSpendNativeToken', async () => {
  const target = (await chain.freshAccount()).address
  const before = await it.read.getBalance({ address: target })
  await outside(await install({ permitAnyExternalAddress: true, canSpendNativeToken: true }), target, '0x', 5n)
  expect(await it.read.getBalance({ address: target })).toBe(before + 5n)
  const without = await install({ permitAnyExternalAddress: true })
  const refused = { name: 'NativeTokenSpendingNotPermitted', args: [without.address] }
  expect(await revertOf(outside(without, target, '0x', 1n))).toEqual(refused)
  // What the plugin brings along is its own.
  await outside(without, target, '0x', 5n, 5n)
  expect(await revertOf(outside(without, target, '0x', 6n, 5n))).toEqual(refused)
})

test('error: neither the account nor a plugin is outside, whatever is permitted', async () => {
  const plugin = await install({ permitAnyExternalAddress: true, canSpendNativeToken: true })
  const upgrade = encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [demo, '0x'] })
  expect(await revertOf(outside(plugin, it.address, upgrade))).toEqual(notPermitted(plugin, it.address, upgrade))
  for (const target of [plugins.MultiOwnerPlugin, server.address, plugin.address])
    expect(await revertOf(outside(plugin, target, mint))).toEqual({ name: 'PluginCallDenied', args: [target] })
})

test('error: permissions end with the plugin, and are those of one account alone', async () => {
  const plugin = await install({
    permitAnyExternalAddress: true,
    canSpendNativeToken: true,
    permittedExecutionSelectors: [served],
    permittedExternalCalls: [{ externalAddress: demo, permitAnySelector: true, selectors: ['0x12345678'] }],
  })
  const first = it
  it = await createModularAccount(chain)
  expect(await revertOf(outside(plugin, demo, mint))).toEqual(notPermitted(plugin, demo, mint))
  expect((await revertOf(fromPlugin(plugin, served))).name).toBe('ExecFromPluginNotPermitted')
  it = first
  await outside(plugin, demo, mint)
  await it.by.transact({ to: it.address, data: encodeFunctionData(uninstallOf(it, plugin)), gas: 3_000_000n })
  expect(await revertOf(outside(plugin, demo, mint))).toEqual(notPermitted(plugin, demo, mint))
  expect((await revertOf(outside(plugin, demo, mint, 1n))).name).toBe('NativeTokenSpendingNotPermitted')
  expect((await revertOf(fromPlugin(plugin, served))).name).toBe('ExecFromPluginNotPermitted')
})

test('behavior: hooks run around what plugins call, too', async () => {
  const around = (executionSelector: Hex) => ({ executionSelector, preExecHook: self(1), postExecHook: self(2) })
  const plugin = await install({ permitAnyExternalAddress: true, permittedExecutionSelectors: [served] })
  const hooks = await install({ executionHooks: [around(served), around('0x38997b11')] })
  await hooks.answer(ask.preExecutionHook, `0x${'20'.padStart(64, '0')}${''.padStart(64, '0')}`)
  const asked = async () => {
    const { transactions } = await it.read.getBlock()
    const { logs } = await it.read.getTransactionReceipt({ hash: transactions[0] ?? '0x' })
    return askedIn(logs).map(({ data }) => data.slice(0, 10))
  }
  await fromPlugin(plugin, served)
  expect(await asked()).toEqual([ask.preExecutionHook, served, ask.postExecutionHook])
  await outside(plugin, demo, mint)
  expect(await asked()).toEqual([ask.preExecutionHook, ask.postExecutionHook])
})

test('error: a function that is denied is denied to plugins', async () => {
  const plugin = await install({ permitAnyExternalAddress: true, permittedExecutionSelectors: [served] })
  const deny = (executionSelector: Hex) => ({ executionSelector, preExecHook: alwaysDeny, postExecHook: none })
  await install({ executionHooks: [deny(served), deny('0x38997b11')] })
  const denied = { name: 'AlwaysDenyRule', args: [] }
  expect(await revertOf(fromPlugin(plugin, served))).toEqual(denied)
  expect(await revertOf(outside(plugin, demo, mint))).toEqual(denied)
})

test('error: a function without a validation is nobody’s', async () => {
  const call = it.read.call({ account: it.owner.address, to: it.address, data: served })
  await expect(call).rejects.toThrow(toFunctionSelector('RuntimeValidationFunctionMissing(bytes4)'))
})
