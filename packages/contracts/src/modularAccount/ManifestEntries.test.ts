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
import { type Hex, toFunctionSelector } from 'viem'
import { expect } from 'vitest'

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

/** The id of the requested function of the test plugin is 0. */
const asked = expect.stringMatching(/^0x(?!ce0000007b008f50d762d155002600004cd6c647)[0-9a-f]{40}00$/)
const updateOwners = '0x39562247'
const invalid = 'InvalidPluginManifest'
const absent = 'NullFunctionReference'
type HookFunction = ReturnType<typeof self>
const hooks = (preExecHook: HookFunction, postExecHook: HookFunction): Partial<Manifest> => ({
  executionHooks: [{ executionSelector: mine, preExecHook, postExecHook }],
})

test.each<[string, Partial<Manifest>, string, ...unknown[]]>([
  ['the invalid interface id', { interfaceIds: ['0xffffffff'] }, 'InterfaceNotAllowed'],
  ['the interface id of plugins', { interfaceIds: ['0xf23b1ed7'] }, 'InterfaceNotAllowed'],
  ['a function of another plugin', { executionFunctions: [updateOwners] }, 'ExecutionFunctionAlreadySet', updateOwners],
  ['a repeated function', { executionFunctions: [mine, mine] }, 'ExecutionFunctionAlreadySet', mine],
  [
    'a second validation of operations',
    { userOpValidationFunctions: [associated(execute, self(0))] },
    'UserOpValidationFunctionAlreadySet',
    execute,
    asked,
  ],
  [
    'a second validation of calls',
    { runtimeValidationFunctions: [associated(execute, self(0))] },
    'RuntimeValidationFunctionAlreadySet',
    execute,
    asked,
  ],
  ['an absent validation of operations', { userOpValidationFunctions: [associated(mine, none)] }, absent],
  ['an absent validation of calls', { runtimeValidationFunctions: [associated(mine, none)] }, absent],
  ['operations that are always allowed', { userOpValidationFunctions: [associated(mine, alwaysAllow)] }, invalid],
  ['operations validated by denial', { userOpValidationFunctions: [associated(mine, alwaysDeny)] }, invalid],
  ['calls validated by denial', { runtimeValidationFunctions: [associated(mine, alwaysDeny)] }, invalid],
  ['a call hook that always allows', { preRuntimeValidationHooks: [associated(mine, alwaysAllow)] }, invalid],
  ['an operation hook that always allows', { preUserOpValidationHooks: [associated(mine, alwaysAllow)] }, invalid],
  ['an absent operation hook', { preUserOpValidationHooks: [associated(mine, none)] }, absent],
  ['an absent call hook', { preRuntimeValidationHooks: [associated(mine, none)] }, absent],
  ['neither execution hook', hooks(none, none), absent],
  ['a post-execution hook that denies', hooks(none, alwaysDeny), invalid],
  ['an undeclared dependency', { userOpValidationFunctions: [associated(mine, dependency(0n))] }, invalid],
])('refuses a manifest with %s', async (_, manifest, name, ...args) => {
  const plugin = await deployPlugin(chain, manifest)
  expect(await refusal(encodeInstall(it, plugin))).toEqual({ name, args })
})

test('refuses hooks of other plugins, even of dependencies', async () => {
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

test('refuses plugin functions with selectors of the account, of plugins and of ERC-4337', async () => {
  const native = abi.flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []))
  const plugin = await deployPlugin(chain)
  const reserved: Record<string, readonly Hex[]> = {
    NativeFunctionNotAllowed: native,
    IPluginFunctionNotAllowed: Object.values(ask),
    Erc4337FunctionNotAllowed: ['0xf465c77e', '0xa9a23409', '0xe3563a4f', '0x64c530cd', '0x275e2d79'],
  }
  for (const [name, selectors] of Object.entries(reserved))
    for (const selector of selectors) {
      await plugin.setManifest({ executionFunctions: [selector] })
      expect(await refusal(encodeInstall(it, plugin))).toEqual({ name, args: [selector] })
    }
})
