import type { TestChain } from '@latchkey/testkit/chain'
import { modularAccountAbi as abi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  type Manifest,
  type ModularTestAccount,
  plugins,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  alwaysAllow,
  alwaysDeny,
  ask,
  associated,
  dependency,
  deployPlugin,
  encodeInstall,
  none,
  self,
  toReference,
} from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { toFunctionSelector } from 'viem'
import { expect } from 'vitest'

/** Manifests an account does not take. */

const execute = '0xb61d27f6'
const mine = '0x11111111'

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createModularAccount(chain)
})

const refusal = (call: ReturnType<typeof encodeInstall>) =>
  readRevert(it.read.simulateContract({ ...call, account: it.owner.address }))

/** The function that was asked for, of a plugin made in the test: its id is 0. */
const asked = /^0x(?!ce0000007b008f50d762d155002600004cd6c647)[0-9a-f]{40}00$/

test.each<[string, Partial<Manifest>, { name: string; args: unknown[] }]>([
  ['the id of no interface', { interfaceIds: ['0xffffffff'] }, { name: 'InterfaceNotAllowed', args: [] }],
  ['the id of plugins', { interfaceIds: ['0xf23b1ed7'] }, { name: 'InterfaceNotAllowed', args: [] }],
  [
    'a function another plugin brought',
    { executionFunctions: ['0x39562247'] },
    { name: 'ExecutionFunctionAlreadySet', args: ['0x39562247'] },
  ],
  ['a function twice', { executionFunctions: [mine, mine] }, { name: 'ExecutionFunctionAlreadySet', args: [mine] }],
  [
    'a second validation of operations',
    { userOpValidationFunctions: [associated(execute, self(0))] },
    { name: 'UserOpValidationFunctionAlreadySet', args: [execute, expect.stringMatching(asked)] },
  ],
  [
    'a second validation of calls',
    { runtimeValidationFunctions: [associated(execute, self(0))] },
    { name: 'RuntimeValidationFunctionAlreadySet', args: [execute, expect.stringMatching(asked)] },
  ],
  [
    'no validation of operations',
    { userOpValidationFunctions: [associated(mine, none)] },
    { name: 'NullFunctionReference', args: [] },
  ],
  [
    'no validation of calls',
    { runtimeValidationFunctions: [associated(mine, none)] },
    { name: 'NullFunctionReference', args: [] },
  ],
  [
    'operations always allowed',
    { userOpValidationFunctions: [associated(mine, alwaysAllow)] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
  [
    'operations validated by denial',
    { userOpValidationFunctions: [associated(mine, alwaysDeny)] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
  [
    'calls validated by denial',
    { runtimeValidationFunctions: [associated(mine, alwaysDeny)] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
  [
    'a hook that always allows',
    { preRuntimeValidationHooks: [associated(mine, alwaysAllow)] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
  [
    'an operations’ hook that always allows',
    { preUserOpValidationHooks: [associated(mine, alwaysAllow)] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
  ['no hook', { preUserOpValidationHooks: [associated(mine, none)] }, { name: 'NullFunctionReference', args: [] }],
  [
    'no hook of calls',
    { preRuntimeValidationHooks: [associated(mine, none)] },
    { name: 'NullFunctionReference', args: [] },
  ],
  [
    'neither hook',
    { executionHooks: [{ executionSelector: mine, preExecHook: none, postExecHook: none }] },
    { name: 'NullFunctionReference', args: [] },
  ],
  [
    'a hook after that denies',
    { executionHooks: [{ executionSelector: mine, preExecHook: none, postExecHook: alwaysDeny }] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
  [
    'a dependency it does not have',
    { userOpValidationFunctions: [associated(mine, dependency(0n))] },
    { name: 'InvalidPluginManifest', args: [] },
  ],
])('error: a manifest with %s', async (_, manifest, expected) => {
  const plugin = await deployPlugin(chain, manifest)
  expect(await refusal(encodeInstall(it, plugin))).toEqual(expected)
})

test('error: hooks of other plugins are not injected, even of those it builds on', async () => {
  const injected: Partial<Manifest>[] = [
    { preUserOpValidationHooks: [associated(execute, dependency(0n))] },
    { preRuntimeValidationHooks: [associated(execute, dependency(0n))] },
    { executionHooks: [{ executionSelector: execute, preExecHook: dependency(0n), postExecHook: none }] },
    { executionHooks: [{ executionSelector: execute, preExecHook: self(0), postExecHook: dependency(0n) }] },
  ]
  for (const manifest of injected) {
    const plugin = await deployPlugin(chain, { dependencyInterfaceIds: ['0xf23b1ed7'], ...manifest })
    const call = encodeInstall(it, plugin, { dependencies: [toReference(plugins.MultiOwnerPlugin, 0)] })
    expect(await refusal(call)).toEqual({ name: 'InvalidPluginManifest', args: [] })
  }
})

test('error: functions that are not a plugin’s to bring', async () => {
  const native = abi.flatMap((item) => (item.type === 'function' ? [item] : []))
  const plugin = await deployPlugin(chain)
  for (const item of native) {
    const selector = toFunctionSelector(item)
    await plugin.setManifest({ executionFunctions: [selector] })
    expect(await refusal(encodeInstall(it, plugin)), item.name).toEqual({
      name: 'NativeFunctionNotAllowed',
      args: [selector],
    })
  }
  for (const [name, selector] of Object.entries(ask)) {
    await plugin.setManifest({ executionFunctions: [selector] })
    expect(await refusal(encodeInstall(it, plugin)), name).toEqual({
      name: 'IPluginFunctionNotAllowed',
      args: [selector],
    })
  }
  // Of paymasters and aggregators.
  for (const selector of ['0xf465c77e', '0xa9a23409', '0xe3563a4f', '0x64c530cd', '0x275e2d79'] as const) {
    await plugin.setManifest({ executionFunctions: [selector] })
    expect(await refusal(encodeInstall(it, plugin))).toEqual({ name: 'Erc4337FunctionNotAllowed', args: [selector] })
  }
})
