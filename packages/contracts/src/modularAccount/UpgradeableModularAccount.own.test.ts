import type { TestChain } from '@latchkey/testkit/chain'
import { createLightAccount, implementationSlot, lightAccountV1_1_0 } from '@latchkey/testkit/contracts/lightAccounts'
import { modularAccountAbi as abi, multiOwnerPluginAbi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  createOperation,
  deploy,
  entryPoint,
  factory,
  handle,
  type ModularTestAccount,
  modularAccount,
  plugins,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { ask } from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { demo } from '@latchkey/testkit/demoToken'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  stringToHex,
  toFunctionSelector,
  toHex,
} from 'viem'
import { expect } from 'vitest'

/** These rules are specific to our account. */

const eip712Domain = encodeFunctionData({ abi: multiOwnerPluginAbi, functionName: 'eip712Domain' })

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createModularAccount(chain)
})

const executeData = (target: Address, value: bigint, data: Hex) =>
  encodeFunctionData({ abi, functionName: 'execute', args: [target, value, data] })

// The public code uses another slot, which no client reads.
test('stores its state in its ERC-7201 namespace', async () => {
  const name = keccak256(stringToHex('latchkey.storage.UpgradeableModularAccount'))
  const slot = toHex(BigInt(keccak256(toHex(BigInt(name) - 1n, { size: 32 }))) & ~0xffn, { size: 32 })
  // The slot starts with the number of the last plugin.
  expect(await it.read.getStorageAt({ address: it.address, slot })).toBe(toHex(1, { size: 32 }))
})

const initializeData = async (owner: Address, plugin: Address = plugins.MultiOwnerPlugin) => {
  const { data: manifest = '0x' } = await it.read.call({ to: plugin, data: ask.pluginManifest })
  const owners = encodeAbiParameters([{ type: 'address[]' }], [[owner]])
  const init = encodeAbiParameters([{ type: 'bytes32[]' }, { type: 'bytes[]' }], [[keccak256(manifest)], [owners]])
  return encodeFunctionData({ abi, functionName: 'initialize', args: [[plugin], init] })
}
const upgradeTo = (implementation: Address, data: Hex = '0x') =>
  encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [implementation, data] })

// The public code stores its state elsewhere, so the account upgrades to a copy.
test('keeps its state after an upgrade by an owner', async () => {
  const mine = await createModularAccount(chain)
  const other = await deploy(chain, 'UpgradeableModularAccount', [entryPoint])
  expect(await handle(chain, await createOperation(chain, mine, upgradeTo(other)))).toMatchObject([{ success: true }])
  const slot = await it.read.getStorageAt({ address: mine.address, slot: implementationSlot })
  expect(BigInt(slot ?? 0)).toBe(BigInt(other))
  const installed = { address: mine.address, abi, functionName: 'getInstalledPlugins' } as const
  expect(await it.read.readContract(installed)).toEqual([plugins.MultiOwnerPlugin])
  const again = { ...mine.account, functionName: 'initialize', args: [[], '0x'] }
  expect((await readRevert(it.read.simulateContract(again))).name).toBe('AlreadyInitialized')
})

// In this state, the public account lets anyone initialize it.
test('lets nobody initialize an upgraded light account later', async () => {
  const light = await createLightAccount(chain, lightAccountV1_1_0)
  await light.by.transact({ to: light.address, data: upgradeTo(modularAccount.implementation) })
  const target = { to: light.address, data: await initializeData(light.stranger.address) }
  for (const account of [light.stranger.address, light.owner.address, factory.address]) {
    const selector = toFunctionSelector('InvalidInitialization()')
    await expect(it.read.call({ ...target, account })).rejects.toThrow(selector)
  }
})

// In this state, the public account finds its plugins again.
test('obeys no plugin after a round trip through a light account', async () => {
  const old = await createModularAccount(chain)
  const { implementation, abi: lightAbi } = lightAccountV1_1_0
  const setUp = encodeFunctionData({ abi: lightAbi, functionName: 'initialize', args: [old.owner.address] })
  await old.by.transact({ to: old.address, data: upgradeTo(implementation, setUp) })
  const owner = { address: old.address, abi: lightAbi, functionName: 'owner' }
  expect(await it.read.readContract(owner)).toBe(old.owner.address)

  const back = { account: old.owner.address, to: old.address }
  const again = upgradeTo(modularAccount.implementation, await initializeData(old.owner.address))
  await expect(it.read.call({ ...back, data: again })).rejects.toThrow(toFunctionSelector('AlreadyInitialized()'))
  await old.by.transact({ to: old.address, data: upgradeTo(modularAccount.implementation) })
  expect(await it.read.readContract({ address: old.address, abi, functionName: 'getInstalledPlugins' })).toEqual([])
  await expect(it.read.call({ ...back, data: executeData(demo, 0n, '0x') })).rejects.toThrow()
  await expect(validate(chain, old, await createOperation(chain, old, executeData(demo, 0n, '0x')))).rejects.toThrow()
  await expect(it.read.call({ ...back, data: eip712Domain })).rejects.toThrow(
    toFunctionSelector('UnrecognizedFunction(bytes4)'),
  )
})
