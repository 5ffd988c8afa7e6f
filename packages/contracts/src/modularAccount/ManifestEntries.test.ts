import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
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
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, toFunctionSelector, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Manifests an account does not take. */

const execute = '0xb61d27f6'
const mine = '0x11111111'

let chain: TestChain
let it: ModularTestAccount
beforeAll(async () => {
  chain = await startTestChain()
  it = await createModularAccount(chain)
})
afterAll(() => chain.close())

const refusal = (call: ReturnType<typeof encodeInstall>) =>
  readRevert(it.read.simulateContract({ ...call, account: it.owner.address }))
const send = (call: ReturnType<typeof encodeInstall>) =>
  it.by.transact({ to: it.address, data: encodeFunctionData(call), gas: 3_000_000n })

const present = toReference(plugins.MultiOwnerPlugin, 1)
const presentRuntime = toReference(plugins.MultiOwnerPlugin, 0)

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
    { name: 'UserOpValidationFunctionAlreadySet', args: [execute, present] },
  ],
  [
    'a second validation of calls',
    { runtimeValidationFunctions: [associated(execute, self(0))] },
    { name: 'RuntimeValidationFunctionAlreadySet', args: [execute, presentRuntime] },
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
    const call = encodeInstall(it, plugin, { dependencies: [presentRuntime] })
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

test('error: one denial more often than can be counted', async () => {
  const around = { executionSelector: mine, preExecHook: alwaysDeny, postExecHook: none } as const
  const cases: [Partial<Manifest>, bigint, string][] = [
    [{ preUserOpValidationHooks: [associated(mine, alwaysDeny)] }, 4n, 'DuplicatePreUserOpValidationHookLimitExceeded'],
    [
      { preRuntimeValidationHooks: [associated(mine, alwaysDeny)] },
      5n,
      'DuplicatePreRuntimeValidationHookLimitExceeded',
    ],
    [{ executionHooks: [around] }, 6n, 'DuplicateHookLimitExceeded'],
  ]
  for (const [manifest, field, name] of cases) {
    const [first, second] = [await deployPlugin(chain, manifest), await deployPlugin(chain, manifest)]
    await send(encodeInstall(it, first))
    const slot = firstHookOf(mine, field)
    const entry = BigInt((await it.read.getStorageAt({ address: it.address, slot })) ?? 0)
    expect(entry & 0xffn).toBe(1n)
    await chain.request('anvil_setStorageAt', [it.address, slot, toHex(entry | 0xffn, { size: 32 })])
    expect(await refusal(encodeInstall(it, second))).toEqual({ name, args: [mine, toHex(2, { size: 21 })] })
  }
})

/** Where the account counts the first hook of a function: its state, the list of that field, the list's first slot. */
function firstHookOf(selector: Hex, field: bigint): Hex {
  const state = BigInt('0x3de4535a120bc516d74a9a518280fce616aef50765368f98c97771e8bacd2c00')
  const words = [{ type: 'bytes4' }, { type: 'uint256' }] as const
  return keccak256(keccak256(encodeAbiParameters(words, [selector, state + field])))
}
