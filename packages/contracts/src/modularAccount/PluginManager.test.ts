import type { TestChain } from '@latchkey/testkit/chain'
import { modularAccountAbi as abi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  encodeManifest,
  type Manifest,
  type ModularTestAccount,
  modularAccount,
  plugins,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  alwaysDeny,
  ask,
  askedIn,
  associated,
  dependency,
  deployPlugin,
  encodeInstall,
  encodeUninstall,
  type ScriptedPlugin,
  self,
  toReference,
} from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import {
  type Address,
  decodeErrorResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
  toHex,
} from 'viem'
import { beforeEach, expect } from 'vitest'

const execute = '0xb61d27f6'
const mine = '0x11111111'
const other = '0x22222222'
const custom = '0xc0ffee00'
const never = toHex(0, { size: 32 })

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})
beforeEach(async () => {
  it = await createModularAccount(chain)
})

const byOwner = (call: ReturnType<typeof encodeInstall>) => ({ ...call, account: it.owner.address })
const refusal = (call: ReturnType<typeof encodeInstall>) => readRevert(it.read.simulateContract(byOwner(call)))
const send = (call: ReturnType<typeof encodeInstall>) =>
  it.by.transact({ to: it.address, data: encodeFunctionData(call), gas: 3_000_000n })
const installed = () => it.read.readContract({ address: it.address, abi, functionName: 'getInstalledPlugins' })
const configOf = async (selector: Hex) => {
  const call = { address: it.address, abi, functionName: 'getExecutionFunctionConfig', args: [selector] } as const
  return Object.values((await it.read.readContract(call)) as object)
}
const supports = (id: Hex) =>
  it.read.readContract({ address: it.address, abi, functionName: 'supportsInterface', args: [id] })
const hooksOf = (functionName: 'getExecutionHooks' | 'getPreValidationHooks', selector: Hex) =>
  it.read.readContract({ address: it.address, abi, functionName, args: [selector] })

/** Uses every part of a manifest. */
const full: Partial<Manifest> = {
  interfaceIds: [custom],
  executionFunctions: [mine],
  permittedExecutionSelectors: [mine],
  permittedExternalCalls: [
    { externalAddress: modularAccount.factory, permitAnySelector: false, selectors: ['0x01020304'] },
  ],
  userOpValidationFunctions: [associated(mine, self(1))],
  runtimeValidationFunctions: [associated(mine, self(2))],
  preUserOpValidationHooks: [associated(mine, self(3)), associated(other, alwaysDeny)],
  preRuntimeValidationHooks: [associated(mine, self(4)), associated(other, alwaysDeny)],
  executionHooks: [{ executionSelector: mine, preExecHook: self(5), postExecHook: self(6) }],
}

test('installs and uninstalls every part of a plugin', async () => {
  const plugin = await deployPlugin(chain, full)
  const receipt = await send(encodeInstall(it, plugin, { data: '0x1234' }))
  const { address } = plugin
  expect(askedIn(receipt.logs)).toEqual([
    { plugin: address, data: encodeFunctionData({ abi: onInstall, args: ['0x1234'] }) },
  ])
  expect(parseEventLogs({ abi, logs: receipt.logs, eventName: 'PluginInstalled' })).toMatchObject([
    { args: { plugin: address, manifestHash: plugin.manifestHash, dependencies: [] } },
  ])
  expect(await installed()).toEqual([address, plugins.MultiOwnerPlugin])
  expect(await configOf(mine)).toEqual([address, toReference(address, 1), toReference(address, 2)])
  expect(await supports(custom)).toBe(true)
  const deny = toHex(2, { size: 21 })
  expect(await hooksOf('getPreValidationHooks', mine)).toEqual([[toReference(address, 3)], [toReference(address, 4)]])
  expect(await hooksOf('getPreValidationHooks', other)).toEqual([[deny], [deny]])
  const hooks = [{ preExecHook: toReference(address, 5), postExecHook: toReference(address, 6) }]
  expect(await hooksOf('getExecutionHooks', mine)).toEqual(hooks)

  const gone = await send(encodeUninstall(it, plugin, '0x', '0x5678'))
  expect(parseEventLogs({ abi, logs: gone.logs, eventName: 'PluginUninstalled' })).toMatchObject([
    { args: { plugin: address, onUninstallSucceeded: true } },
  ])
  expect(askedIn(gone.logs)).toEqual([
    { plugin: address, data: encodeFunctionData({ abi: onUninstall, args: ['0x5678'] }) },
  ])
  await expectNothingLeft(plugin)
})

const onInstall = [
  { type: 'function', name: 'onInstall', inputs: [{ type: 'bytes' }], outputs: [], stateMutability: 'nonpayable' },
] as const
const onUninstall = [{ ...onInstall[0], name: 'onUninstall' }] as const

async function expectNothingLeft({ address }: ScriptedPlugin): Promise<void> {
  expect(await installed()).toEqual([plugins.MultiOwnerPlugin])
  const nobody = toHex(0, { size: 21 })
  expect(await configOf(mine)).toEqual([toHex(0, { size: 20 }), nobody, nobody])
  expect(await supports(custom)).toBe(false)
  for (const selector of [mine, other] as const) {
    expect(await hooksOf('getPreValidationHooks', selector)).toEqual([[], []])
    expect(await hooksOf('getExecutionHooks', selector)).toEqual([])
  }
  expect(await refusal(encodeUninstall(it, { address }))).toEqual({ name: 'PluginNotInstalled', args: [address] })
}

test('installs a returning plugin from scratch', async () => {
  const plugin = await deployPlugin(chain, full)
  for (let round = 0; round < 3; round++) {
    await send(encodeInstall(it, plugin))
    expect(await configOf(mine)).toEqual([
      plugin.address,
      toReference(plugin.address, 1),
      toReference(plugin.address, 2),
    ])
    await send(encodeUninstall(it, plugin))
    await expectNothingLeft(plugin)
  }
})

test('refuses contracts that are not the expected plugin', async () => {
  const plugin = await deployPlugin(chain, { executionFunctions: [mine] })
  const stranger = { address: it.stranger.address, manifestHash: never }
  const notPlugin = { name: 'PluginInterfaceNotSupported', args: [stranger.address] }
  expect(await refusal(encodeInstall(it, stranger))).toEqual(notPlugin)
  const invalid = { name: 'InvalidPluginManifest', args: [] }
  for (const manifestHash of [never, toHex(1, { size: 32 })])
    expect(await refusal(encodeInstall(it, plugin, { manifestHash }))).toEqual(invalid)
  // The account forwards the plugin's revert.
  await plugin.respond(ask.pluginManifest, '0x', true)
  expect((await refusal(encodeInstall(it, plugin))).name).toBe('execution reverted')
  await plugin.deny('0xf23b1ed7')
  expect(await refusal(encodeInstall(it, plugin))).toEqual({
    name: 'PluginInterfaceNotSupported',
    args: [plugin.address],
  })
})

test('refuses to install twice', async () => {
  const owners = plugins.MultiOwnerPlugin
  const again = encodeInstall(it, { address: owners, manifestHash: never })
  expect(await refusal(again)).toEqual({ name: 'PluginAlreadyInstalled', args: [owners] })
})

test('keeps a plugin while others depend on it', async () => {
  const base = await deployPlugin(chain)
  const top = await deployPlugin(chain, {
    dependencyInterfaceIds: ['0xf23b1ed7', custom],
    runtimeValidationFunctions: [associated(mine, dependency(1n))],
    userOpValidationFunctions: [associated(mine, dependency(0n))],
  })
  const dependencies = [toReference(plugins.MultiOwnerPlugin, 1), toReference(base.address, 9)]
  expect(await refusal(encodeInstall(it, top, { dependencies }))).toEqual({
    name: 'MissingPluginDependency',
    args: [base.address],
  })
  await send(encodeInstall(it, base))
  for (const wrong of [[], dependencies.slice(0, 1), [...dependencies, ...dependencies]])
    expect((await refusal(encodeInstall(it, top, { dependencies: wrong }))).name).toBe('InvalidDependenciesProvided')
  await base.deny(custom)
  expect((await refusal(encodeInstall(it, top, { dependencies }))).name).toBe('InvalidDependenciesProvided')
  await base.deny(custom, false)
  await send(encodeInstall(it, top, { dependencies }))
  expect((await configOf(mine)).slice(1)).toEqual(dependencies)

  for (const needed of [base.address, plugins.MultiOwnerPlugin]) {
    const violation = { name: 'PluginDependencyViolation', args: [needed] }
    expect(await refusal(encodeUninstall(it, { address: needed }))).toEqual(violation)
    // Force covers failed callbacks, not dependencies.
    expect(await refusal(encodeUninstall(it, { address: needed }, configured({ force: true })))).toEqual(violation)
  }
  await send(encodeUninstall(it, top))
  await send(encodeUninstall(it, base))
  await expectNothingLeft(top)
})

function configured({ manifest = '0x' as Hex, force = false, gas = 0n }): Hex {
  const components = [{ type: 'bytes' }, { type: 'bool' }, { type: 'uint256' }] as const
  return encodeAbiParameters([{ type: 'tuple', components }], [[manifest, force, gas] as never])
}

test('undoes a failed callback, unless an uninstall is forced', async () => {
  const plugin = await deployPlugin(chain, full)
  await plugin.respond(ask.onInstall, '0xdeadbeef', true)
  expect(await refusal(encodeInstall(it, plugin))).toEqual({
    name: 'PluginInstallCallbackFailed',
    args: [plugin.address, '0xdeadbeef'],
  })
  await expectNothingLeft(plugin)
  await plugin.respond(ask.onInstall, '0x')
  await send(encodeInstall(it, plugin))

  await plugin.respond(ask.onUninstall, '0xdeadbeef', true)
  const failed = { name: 'PluginUninstallCallbackFailed', args: [plugin.address, '0xdeadbeef'] }
  expect(await refusal(encodeUninstall(it, plugin))).toEqual(failed)
  expect(await refusal(encodeUninstall(it, plugin, configured({})))).toEqual(failed)
  expect(await installed()).toEqual([plugin.address, plugins.MultiOwnerPlugin])
  const receipt = await send(encodeUninstall(it, plugin, configured({ force: true })))
  expect(parseEventLogs({ abi, logs: receipt.logs, eventName: 'PluginUninstalled' })).toMatchObject([
    { args: { onUninstallSucceeded: false } },
  ])
  await expectNothingLeft(plugin)
})

test('treats a callback without enough gas as failed', async () => {
  const plugin = await deployPlugin(chain)
  await send(encodeInstall(it, plugin))
  const failed = { name: 'PluginUninstallCallbackFailed', args: [plugin.address, '0x'] }
  expect(await refusal(encodeUninstall(it, plugin, configured({ gas: 100n })))).toEqual(failed)
  await send(encodeUninstall(it, plugin, configured({ gas: 100_000n })))
  expect(await installed()).toEqual([plugins.MultiOwnerPlugin])
})

test('uninstalls by the manifest of the installation', async () => {
  const plugin = await deployPlugin(chain, full)
  await send(encodeInstall(it, plugin))
  await plugin.setManifest({ executionFunctions: [other] })
  const invalid = { name: 'InvalidPluginManifest', args: [] }
  expect(await refusal(encodeUninstall(it, plugin))).toEqual(invalid)
  expect(await refusal(encodeUninstall(it, plugin, configured({ manifest: encodeManifest() })))).toEqual(invalid)
  await send(encodeUninstall(it, plugin, configured({ manifest: encodeManifest(full) })))
  await expectNothingLeft(plugin)
})

test('keeps a shared interface until both plugins are gone', async () => {
  const [a, b] = [
    await deployPlugin(chain, { interfaceIds: [custom] }),
    await deployPlugin(chain, { interfaceIds: [custom] }),
  ]
  await send(encodeInstall(it, a))
  await send(encodeInstall(it, b))
  await send(encodeUninstall(it, a))
  expect(await supports(custom)).toBe(true)
  await send(encodeUninstall(it, b))
  expect(await supports(custom)).toBe(false)
})

test('keeps a shared denial until both plugins are gone', async () => {
  const manifest = { preRuntimeValidationHooks: [associated(execute, alwaysDeny)], runtimeValidationFunctions: [] }
  const [a, b] = [await deployPlugin(chain, manifest), await deployPlugin(chain, manifest)]
  await send(encodeInstall(it, a))
  await send(encodeInstall(it, b))
  const args = [it.stranger.address, 0n, '0x']
  const call = { ...it.account, functionName: 'execute', args, account: it.owner.address }
  const denied = { name: 'AlwaysDenyRule', args: [] }
  expect(await readRevert(it.read.simulateContract(call))).toEqual(denied)
  await send(encodeUninstall(it, a))
  expect(await readRevert(it.read.simulateContract(call))).toEqual(denied)
  await send(encodeUninstall(it, b))
  await it.read.simulateContract(call)
})

const external = (target: Address, data: Hex = '0x') =>
  encodeFunctionData({ abi, functionName: 'executeFromPluginExternal', args: [target, 0n, data] })
const innerOf = ({ args }: { args: readonly unknown[] }) =>
  decodeErrorResult({ abi: it.account.abi, data: args[1] as Hex }).errorName

test('limits a callback to the rights of its manifest', async () => {
  const target = it.stranger.address
  const [able, unable] = [await deployPlugin(chain, { permitAnyExternalAddress: true }), await deployPlugin(chain)]
  for (const plugin of [able, unable]) await plugin.step(ask.onInstall, it.address, external(target))
  await send(encodeInstall(it, able))
  expect(innerOf(await refusal(encodeInstall(it, unable)))).toBe('ExecFromPluginExternalNotPermitted')
  // A plugin is not an owner, not even while it is installed.
  const again = encodeInstall(it, unable)
  for (const call of [again, encodeUninstall(it, able), encodeUninstall(it, unable)]) {
    await unable.step(ask.onInstall, it.address, encodeFunctionData(call))
    expect(innerOf(await refusal(again))).toBe('RuntimeValidationFunctionReverted')
  }
  expect(await installed()).toEqual([able.address, plugins.MultiOwnerPlugin])
})

test('gives a plugin no rights during its uninstall', async () => {
  const plugin = await deployPlugin(chain, { permitAnyExternalAddress: true })
  await send(encodeInstall(it, plugin))
  await plugin.step(ask.onUninstall, it.address, external(it.stranger.address))
  const failed = await refusal(encodeUninstall(it, plugin))
  expect([failed.name, innerOf(failed)]).toEqual([
    'PluginUninstallCallbackFailed',
    'ExecFromPluginExternalNotPermitted',
  ])
  await send(encodeUninstall(it, plugin, configured({ force: true })))
  expect(await installed()).toEqual([plugins.MultiOwnerPlugin])
})

test('cannot uninstall a plugin without code by default', async () => {
  const plugin = await deployPlugin(chain, full)
  await send(encodeInstall(it, plugin))
  await chain.request('anvil_setCode', [plugin.address, '0x'])
  expect((await refusal(encodeUninstall(it, plugin))).name).toBe('execution reverted')
  expect(await installed()).toEqual([plugin.address, plugins.MultiOwnerPlugin])
})
