import type { TestChain } from '@latchkey/testkit/chain'
import { modularAccountAbi as abi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  encodeManifest,
  type Manifest,
  plugins,
} from '@latchkey/testkit/contracts/modularAccounts'
import {
  alwaysDeny,
  associated,
  deployPlugin,
  encodeInstall,
  encodeUninstall,
  self,
} from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { encodeAbiParameters, encodeFunctionData, type Hex, parseEventLogs, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const mine = '0x11111111'
const custom = '0xc0ffee00'

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

// The public account requests the manifest from the plugin, so it cannot uninstall the plugin.
test('uninstalls a plugin without code by its stored manifest', async () => {
  const it = await createModularAccount(chain)
  const manifest: Partial<Manifest> = {
    interfaceIds: [custom],
    executionFunctions: [mine],
    permittedExecutionSelectors: [mine],
    userOpValidationFunctions: [associated(mine, self(1))],
    runtimeValidationFunctions: [associated(mine, self(2))],
    preRuntimeValidationHooks: [associated(mine, self(4)), associated('0x22222222', alwaysDeny)],
    executionHooks: [{ executionSelector: mine, preExecHook: self(5), postExecHook: self(6) }],
  }
  const plugin = await deployPlugin(chain, manifest)
  const send = (call: ReturnType<typeof encodeInstall>) =>
    it.by.transact({ to: it.address, data: encodeFunctionData(call), gas: 3_000_000n })
  await send(encodeInstall(it, plugin))
  await chain.request('anvil_setCode', [plugin.address, '0x'])
  const components = [{ type: 'bytes' }, { type: 'bool' }, { type: 'uint256' }] as const
  const config = encodeAbiParameters([{ type: 'tuple', components }], [[encodeManifest(manifest), false, 0n] as never])
  const { logs } = await send(encodeUninstall(it, plugin, config))
  expect(parseEventLogs({ abi, logs, eventName: 'PluginUninstalled' })).toMatchObject([
    { args: { plugin: plugin.address, onUninstallSucceeded: true } },
  ])

  const ask = (functionName: string, ...args: readonly unknown[]) =>
    it.read.readContract({ address: it.address, abi, functionName, args })
  expect(await ask('getInstalledPlugins')).toEqual([plugins.MultiOwnerPlugin])
  expect(await ask('supportsInterface', custom)).toBe(false)
  const nobody = toHex(0, { size: 21 })
  expect(Object.values((await ask('getExecutionFunctionConfig', mine)) as object)).toEqual([
    zeroAddress,
    nobody,
    nobody,
  ])
  for (const selector of [mine, '0x22222222'] satisfies Hex[]) {
    expect(await ask('getPreValidationHooks', selector)).toEqual([[], []])
    expect(await ask('getExecutionHooks', selector)).toEqual([])
  }
})
