import type { TestChain } from '@latchkey/testkit/chain'
import { modularAccountAbi as abi, pluginAbi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  createOperation,
  type Manifest,
  type ModularTestAccount,
  plugins,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  alwaysAllow,
  alwaysDeny,
  ask,
  askedIn,
  associated,
  deployPlugin,
  encodeInstall,
  encodeUninstall,
  none,
  type ScriptedPlugin,
  self,
  toReference,
} from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi, mint as mintCall } from '@latchkey/testkit/demoToken'
import {
  type AbiFunction,
  type Address,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  parseAbiItem,
  toFunctionSelector,
  toHex,
} from 'viem'
import { beforeEach, expect } from 'vitest'

const served = '0x11111111'
const custom = '0xc0ffee00'
const mineAbi = parseAbiItem('function mine()')
const mine = toFunctionSelector(mineAbi)
const alwaysDenyRule = toFunctionSelector('AlwaysDenyRule()')
const { data: mint } = mintCall(demo, 1n)
const approve = encodeFunctionData({ abi: demoAbi, functionName: 'approve', args: [demo, 1n] })

let chain: TestChain
let it: ModularTestAccount
/** This plugin adds the function `served`. */
let server: ScriptedPlugin
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})
beforeEach(async () => {
  it = await createModularAccount(chain)
  server = await install({ executionFunctions: [served] })
  await server.respond(served, toHex(7, { size: 32 }))
})

async function install(manifest: Partial<Manifest>): Promise<ScriptedPlugin> {
  const plugin = await deployPlugin(chain, manifest)
  await it.by.transact({ to: it.address, data: encodeFunctionData(encodeInstall(it, plugin)), gas: 3_000_000n })
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

const refusedInstall = async (plugin: ScriptedPlugin, dependencies: readonly Hex[] = []) => {
  const call = { ...encodeInstall(it, plugin, { dependencies }), account: it.owner.address }
  return (await readRevert(it.read.simulateContract(call))).name
}
const refusedCall = async () => {
  const abi = [...it.account.abi, mineAbi]
  const call = it.read.simulateContract({ ...it.account, abi, functionName: 'mine', account: it.stranger.address })
  return call.then(
    () => undefined,
    async () => (await readRevert(call)).name,
  )
}
const validated = async () => validate(chain, it, await createOperation(chain, it, mine))
const refusedOperation = async () => (await readRevert(validated())).name
const word = (value: bigint) => toHex(value, { size: 32 })
const noBytes: Hex = `0x${'20'.padStart(64, '0')}${''.padStart(64, '0')}`

/** For each field of a manifest, checks that it permits what it should, and nothing more. */
const fields: { [field in keyof Manifest]: () => Promise<void> } = {
  async interfaceIds() {
    const supports = (id: Hex) => it.read.readContract({ ...it.account, functionName: 'supportsInterface', args: [id] })
    expect(await supports(custom)).toBe(false)
    await install({ interfaceIds: [custom] })
    expect(await supports(custom)).toBe(true)
    expect(await supports(served)).toBe(false)
    expect(await refusedInstall(await deployPlugin(chain, { interfaceIds: ['0xffffffff'] }))).toBe(
      'InterfaceNotAllowed',
    )
  },

  async dependencyInterfaceIds() {
    const plugin = await deployPlugin(chain, { dependencyInterfaceIds: [custom] })
    const dependencies = [toReference(server.address, 1)]
    expect(await refusedInstall(plugin)).toBe('InvalidDependenciesProvided')
    expect(await refusedInstall(plugin, [toReference(plugin.address, 1)])).toBe('MissingPluginDependency')
    await server.deny(custom)
    expect(await refusedInstall(plugin, dependencies)).toBe('InvalidDependenciesProvided')
    await server.deny(custom, false)
    await it.by.transact({ to: it.address, data: encodeFunctionData(encodeInstall(it, plugin, { dependencies })) })
  },

  async executionFunctions() {
    await install({ runtimeValidationFunctions: [associated(mine, alwaysAllow)] })
    expect(await refusedCall()).toBe('UnrecognizedFunction')
    await install({ executionFunctions: [mine] })
    expect(await refusedCall()).toBeUndefined()
  },

  async permittedExecutionSelectors() {
    const plugin = await install({ permittedExecutionSelectors: [served] })
    await fromPlugin(plugin, `${served}abcd`)
    const without = await install({ permitAnyExternalAddress: true, canSpendNativeToken: true })
    const refused = { name: 'ExecFromPluginNotPermitted', args: [without.address, served] }
    expect(await readRevert(fromPlugin(without, served))).toEqual(refused)
    // No plugin may request functions of the account itself.
    const native = await install({ permittedExecutionSelectors: ['0xb61d27f6', '0xc5f0e8d1', '0x4f1ef286'] })
    for (const selector of ['0xb61d27f6', '0xc5f0e8d1', '0x4f1ef286'] as const)
      expect(await readRevert(fromPlugin(native, selector))).toEqual({ name: 'UnrecognizedFunction', args: [selector] })
    const nothing = await install({ permittedExecutionSelectors: ['0x00000000', '0x99999999'] })
    for (const data of ['0x', '0x99999999'] as const)
      expect((await readRevert(fromPlugin(nothing, data))).name).toBe('UnrecognizedFunction')
  },

  async permitAnyExternalAddress() {
    await outside(await install({ permitAnyExternalAddress: true }), demo, mint)
    const without = await install({ canSpendNativeToken: true, permittedExecutionSelectors: [served] })
    expect(await readRevert(outside(without, demo, mint))).toEqual(notPermitted(without, demo, mint))
  },

  async canSpendNativeToken() {
    const target = (await chain.freshAccount()).address
    const before = await it.read.getBalance({ address: target })
    await outside(await install({ permitAnyExternalAddress: true, canSpendNativeToken: true }), target, '0x', 5n)
    expect(await it.read.getBalance({ address: target })).toBe(before + 5n)
    const without = await install({ permitAnyExternalAddress: true })
    const refused = { name: 'NativeTokenSpendingNotPermitted', args: [without.address] }
    expect(await readRevert(outside(without, target, '0x', 1n))).toEqual(refused)
    // The plugin may spend the ether that it sends with the call.
    await outside(without, target, '0x', 5n, 5n)
    expect(await readRevert(outside(without, target, '0x', 6n, 5n))).toEqual(refused)
  },

  async permittedExternalCalls() {
    const permission = { externalAddress: demo, selectors: [mint.slice(0, 10) as Hex] }
    const all = await install({ permittedExternalCalls: [{ ...permission, permitAnySelector: true }] })
    const some = await install({ permittedExternalCalls: [{ ...permission, permitAnySelector: false }] })
    for (const plugin of [all, some]) await outside(plugin, demo, mint)
    await outside(all, demo, approve)
    expect(await readRevert(outside(some, demo, approve))).toEqual(notPermitted(some, demo, approve))
    // Data without a selector is refused. Public chains give no reason.
    for (const data of ['0x', mint.slice(0, 8) as Hex] as const)
      expect((await readRevert(outside(some, demo, data))).name).toMatch(
        /^(ExecFromPluginExternalNotPermitted|execution reverted)$/,
      )
    const other = it.stranger.address
    for (const plugin of [all, some])
      expect(await readRevert(outside(plugin, other, mint))).toEqual(notPermitted(plugin, other, mint))
  },

  async userOpValidationFunctions() {
    expect(await refusedOperation()).toBe('UserOpValidationFunctionMissing')
    const plugin = await install({ userOpValidationFunctions: [associated(mine, self(1))] })
    await plugin.respond(ask.userOpValidationFunction, word(0n))
    expect(await validated()).toBe(0n)
    await plugin.respond(ask.userOpValidationFunction, word(1n))
    expect(await validated()).toBe(1n)
  },

  async runtimeValidationFunctions() {
    await install({ executionFunctions: [mine] })
    expect(await refusedCall()).toBe('RuntimeValidationFunctionMissing')
    const plugin = await install({ runtimeValidationFunctions: [associated(mine, self(1))] })
    expect(await refusedCall()).toBeUndefined()
    await plugin.respond(ask.runtimeValidationFunction, '0x', true)
    expect(await refusedCall()).toBe('RuntimeValidationFunctionReverted')
  },

  async preUserOpValidationHooks() {
    const plugin = await deployPlugin(chain)
    await plugin.respond(ask.userOpValidationFunction, word(0n))
    await plugin.respond(ask.preUserOpValidationHook, alwaysDenyRule, true)
    const validation = { userOpValidationFunctions: [associated(mine, self(1))] }
    await reinstall(plugin, validation)
    expect(await validated()).toBe(0n)
    await reinstall(plugin, { ...validation, preUserOpValidationHooks: [associated(mine, self(2))] })
    expect(await refusedOperation()).toBe('AlwaysDenyRule')
    await plugin.respond(ask.preUserOpValidationHook, word(0n))
    // With a hook, a missing end time becomes the largest value.
    expect(await validated()).toBe(BigInt(2 ** 48 - 1) << 160n)
  },

  async preRuntimeValidationHooks() {
    const plugin = await deployPlugin(chain)
    await plugin.respond(ask.preRuntimeValidationHook, '0x', true)
    const open = { executionFunctions: [mine], runtimeValidationFunctions: [associated(mine, alwaysAllow)] } as const
    await reinstall(plugin, open)
    expect(await refusedCall()).toBeUndefined()
    await reinstall(plugin, { ...open, preRuntimeValidationHooks: [associated(mine, self(2))] })
    expect(await refusedCall()).toBe('PreRuntimeValidationHookFailed')
    await plugin.respond(ask.preRuntimeValidationHook, '0x')
    expect(await refusedCall()).toBeUndefined()
  },

  async executionHooks() {
    const plugin = await deployPlugin(chain)
    for (const asked of [ask.preExecutionHook, ask.postExecutionHook]) await plugin.respond(asked, '0x', true)
    const open = { executionFunctions: [mine], runtimeValidationFunctions: [associated(mine, alwaysAllow)] } as const
    await reinstall(plugin, open)
    expect(await refusedCall()).toBeUndefined()
    const hook = { executionSelector: mine, preExecHook: self(1), postExecHook: self(2) }
    await reinstall(plugin, { ...open, executionHooks: [hook] })
    expect(await refusedCall()).toBe('PreExecHookReverted')
    await plugin.respond(ask.preExecutionHook, noBytes)
    expect(await refusedCall()).toBe('PostExecHookReverted')
    await plugin.respond(ask.postExecutionHook, '0x')
    expect(await refusedCall()).toBeUndefined()
  },
}

async function reinstall(plugin: ScriptedPlugin, manifest: Partial<Manifest>): Promise<void> {
  const present = (await it.read.readContract({ ...it.account, functionName: 'getInstalledPlugins' })) as Address[]
  const send = (call: ReturnType<typeof encodeInstall>) =>
    it.by.transact({ to: it.address, data: encodeFunctionData(call), gas: 3_000_000n })
  if (present.includes(plugin.address)) await send(encodeUninstall(it, plugin))
  await plugin.setManifest(manifest)
  await send(encodeInstall(it, plugin))
}

test('covers every field of the published manifest', () => {
  const [manifest] = (getAbiItem({ abi: pluginAbi, name: 'pluginManifest' }) as AbiFunction).outputs
  const published = manifest && 'components' in manifest ? manifest.components.map(({ name }) => name) : []
  expect(published.sort()).toEqual(Object.keys(fields).sort())
})

test.each(Object.entries(fields))('enforces %s', (_, check) => check())

test('never treats the account or a plugin as external', async () => {
  const plugin = await install({ permitAnyExternalAddress: true, canSpendNativeToken: true })
  const upgrade = encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [demo, '0x'] })
  expect(await readRevert(outside(plugin, it.address, upgrade))).toEqual(notPermitted(plugin, it.address, upgrade))
  for (const target of [plugins.MultiOwnerPlugin, server.address, plugin.address])
    expect(await readRevert(outside(plugin, target, mint))).toEqual({ name: 'PluginCallDenied', args: [target] })
})

test('ends permissions with the plugin, for one account alone', async () => {
  const plugin = await install({
    permitAnyExternalAddress: true,
    canSpendNativeToken: true,
    permittedExecutionSelectors: [served],
    permittedExternalCalls: [{ externalAddress: demo, permitAnySelector: true, selectors: ['0x12345678'] }],
  })
  const first = it
  it = await createModularAccount(chain)
  expect(await readRevert(outside(plugin, demo, mint))).toEqual(notPermitted(plugin, demo, mint))
  expect((await readRevert(fromPlugin(plugin, served))).name).toBe('ExecFromPluginNotPermitted')
  it = first
  await outside(plugin, demo, mint)
  await it.by.transact({ to: it.address, data: encodeFunctionData(encodeUninstall(it, plugin)), gas: 3_000_000n })
  expect(await readRevert(outside(plugin, demo, mint))).toEqual(notPermitted(plugin, demo, mint))
  expect((await readRevert(outside(plugin, demo, mint, 1n))).name).toBe('NativeTokenSpendingNotPermitted')
  expect((await readRevert(fromPlugin(plugin, served))).name).toBe('ExecFromPluginNotPermitted')
})

test('runs hooks around calls of plugins', async () => {
  const around = (executionSelector: Hex) => ({ executionSelector, preExecHook: self(1), postExecHook: self(2) })
  const plugin = await install({ permitAnyExternalAddress: true, permittedExecutionSelectors: [served] })
  const hooks = await install({ executionHooks: [around(served), around('0x38997b11')] })
  await hooks.respond(ask.preExecutionHook, `0x${'20'.padStart(64, '0')}${''.padStart(64, '0')}`)
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

test('denies a denied function to plugins, too', async () => {
  const plugin = await install({ permitAnyExternalAddress: true, permittedExecutionSelectors: [served] })
  const deny = (executionSelector: Hex) => ({ executionSelector, preExecHook: alwaysDeny, postExecHook: none })
  await install({ executionHooks: [deny(served), deny('0x38997b11')] })
  const denied = { name: 'AlwaysDenyRule', args: [] }
  expect(await readRevert(fromPlugin(plugin, served))).toEqual(denied)
  expect(await readRevert(outside(plugin, demo, mint))).toEqual(denied)
})
