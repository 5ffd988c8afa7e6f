import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { type CallRule, changingFunctions, expectAccepted, expectRefused } from '@latchkey/testkit/contracts/callAs'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import { createLightAccount, implementationSlot, lightAccountV1_1_0 } from '@latchkey/testkit/contracts/lightAccounts'
import { modularAccountAbi as abi, multiOwnerPluginAbi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  createOperation,
  entryPoint,
  factory,
  handle,
  type ModularTestAccount,
  modularAccount,
  multiOwnerPlugin,
  packed,
  plugins,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { ask } from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  toFunctionSelector,
  toHex,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const eip712Domain = encodeFunctionData({ abi: multiOwnerPluginAbi, functionName: 'eip712Domain' })
const noReference = toHex(0, { size: 21 })

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createModularAccount(chain)
})

const mint = (to: Address, value: bigint) =>
  encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, value] })
const demoOf = (address: Address) =>
  it.read.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })
const executeData = (target: Address, value: bigint, data: Hex) =>
  encodeFunctionData({ abi, functionName: 'execute', args: [target, value, data] })

test('has the published ABI and the parts for an upgrade', () => {
  const { missing, extra } = compareAbis(readArtifact('UpgradeableModularAccount').abi, abi)
  expect(missing).toEqual([])
  expect(extra).toEqual(['error InvalidInitialization()', 'error NotInitializing()', 'event Initialized(uint64)'])
})

test('keeps every contract below the code size limit (EIP-170)', () => {
  const names = ['UpgradeableModularAccount', 'MultiOwnerModularAccountFactory', 'MultiOwnerPlugin', 'SessionKeyPlugin']
  for (const name of names)
    expect((readArtifact(name).deployedBytecode.length - 2) / 2, name).toBeLessThanOrEqual(24_576)
})

test('executes all calls of a batch or none', async () => {
  const [a, b] = [(await chain.freshAccount()).address, (await chain.freshAccount()).address]
  const batch = (last: Address) => {
    const first = { target: demo, value: 0n, data: mint(a, 5n) }
    const args = [[first, { target: last, value: 0n, data: mint(b, 6n) }]]
    return encodeFunctionData({ abi: it.account.abi, functionName: 'executeBatch', args })
  }
  await it.by.transact({ to: it.address, data: batch(demo) })
  expect([await demoOf(a), await demoOf(b)]).toEqual([5n, 6n])
  const call = it.read.call({ account: it.owner.address, to: it.address, data: batch(it.address) })
  await expect(call).rejects.toThrow()
  expect(await demoOf(a)).toBe(5n)
})

test('returns the answer of the target and passes its revert on', async () => {
  const caller = { ...it.account, account: it.owner.address }
  const balance = encodeFunctionData({ abi: demoAbi, functionName: 'balanceOf', args: [zeroAddress] })
  const { result } = await it.read.simulateContract({ ...caller, functionName: 'execute', args: [demo, 0n, balance] })
  expect(result).toBe(toHex(0, { size: 32 }))
  const reverting = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [reverting, '0x63deadbeef6000526004601cfd'])
  const failing = it.read.simulateContract({ ...caller, functionName: 'execute', args: [reverting, 0n, '0x'] })
  expect(await readRevert(failing)).toMatchObject({ name: '0xdeadbeef' })
})

/** Lists the allowed callers. Plugins report a refused caller in their own words. */
function rulesOf(): Record<string, CallRule & { refusal?: unknown }> {
  const other = it.stranger.address
  const validated = ['owner', 'entryPoint', 'self']
  // Less than four bytes select no function.
  const notPlugin = {
    name: expect.stringMatching(/^(ExecFromPluginNotPermitted|UnrecognizedFunction)$/),
    args: expect.anything(),
  }
  const notExternal = {
    name: expect.stringMatching(/^(ExecFromPluginExternalNotPermitted|NativeTokenSpendingNotPermitted)$/),
    args: expect.anything(),
  }
  const anyone = ['stranger']
  return {
    'execute(address,uint256,bytes)': { callers: validated, args: [other, 1n, '0x'] },
    'executeBatch((address,uint256,bytes)[])': {
      callers: validated,
      args: [[{ target: other, value: 1n, data: '0x' }]],
    },
    'installPlugin(address,bytes32,bytes,bytes21[])': { callers: validated },
    'uninstallPlugin(address,bytes,bytes)': { callers: validated, args: [plugins.MultiOwnerPlugin, '0x', '0x'] },
    'upgradeToAndCall(address,bytes)': { callers: validated, args: [modularAccount.implementation, '0x'] },
    'executeFromPlugin(bytes)': { callers: [], refusal: notPlugin },
    'executeFromPluginExternal(address,uint256,bytes)': { callers: [], refusal: notExternal },
    'initialize(address[],bytes)': { callers: [], args: [[], '0x'], refusal: { name: 'AlreadyInitialized', args: [] } },
    'onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)': {
      callers: anyone,
      args: [other, other, [1n], [1n], '0x'],
    },
    'onERC1155Received(address,address,uint256,uint256,bytes)': { callers: anyone, args: [other, other, 1n, 1n, '0x'] },
    'onERC721Received(address,address,uint256,bytes)': { callers: anyone, args: [other, other, 1n, '0x'] },
    'tokensReceived(address,address,address,uint256,bytes,bytes)': {
      callers: anyone,
      args: [other, other, other, 1n, '0x', '0x'],
    },
  }
}

const published = changingFunctions(abi)

test.each(published)('allows only the listed callers of $signature', async ({ signature, item }) => {
  if (item.name === 'validateUserOp') return expectValidation()
  const rule = rulesOf()[signature]
  if (!rule) return expect.fail(`no rule for ${signature}`)
  const callers = {
    stranger: it.stranger.address,
    owner: it.owner.address,
    entryPoint,
    self: it.address,
    factory: factory.address,
    plugin: plugins.MultiOwnerPlugin,
    otherEntryPoint: devAddresses.entryPoints['0.7.0'],
  }
  for (const [who, caller] of Object.entries(callers)) {
    const call = { read: it.read, address: it.address, abi: it.account.abi, item, caller }
    const notAuthorized = keccak256(toHex('NotAuthorized()')).slice(0, 10)
    const refused = { name: 'RuntimeValidationFunctionReverted', args: [plugins.MultiOwnerPlugin, 0, notAuthorized] }
    const isAllowed = rule.callers.includes(who) || rule.callers.includes('stranger')
    if (!isAllowed) await expectRefused(call, rule, rule.refusal ?? refused)
    else if (rule.args) await expectAccepted(call, rule)
    else await expectPastValidation(caller)
  }
})

async function expectPastValidation(account: Address): Promise<void> {
  const args = [demo, noReference.padEnd(66, '0'), '0x', []]
  const call = it.read.simulateContract({ ...it.account, functionName: 'installPlugin', args, account })
  expect(await readRevert(call)).toEqual({ name: 'PluginInterfaceNotSupported', args: [demo] })
}

async function expectValidation(): Promise<void> {
  const operation = await createOperation(chain, it, executeData(demo, 0n, '0x'))
  expect(await validate(chain, it, operation)).toBe(0n)
  const wrong = await createOperation(chain, it, executeData(demo, 0n, '0x'), { signer: it.stranger })
  expect(await validate(chain, it, wrong)).toBe(1n)
  for (const account of [it.owner.address, it.address, plugins.MultiOwnerPlugin, devAddresses.entryPoints['0.7.0']]) {
    const args = [packed(operation), toHex(0, { size: 32 }), 0n]
    const call = it.read.simulateContract({ ...it.account, functionName: 'validateUserOp', args, account })
    expect(await readRevert(call)).toEqual({ name: 'UserOpNotFromEntryPoint', args: [] })
  }
}

const refusing = published.filter(({ item }) => !/^on|^tokens|^validate/.test(item.name))

test.each(refusing)('refuses every caller on the implementation itself: $signature', async ({ signature, item }) => {
  const rule = rulesOf()[signature]
  if (!rule) return expect.fail(`no rule for ${signature}`)
  for (const caller of [it.stranger.address, it.owner.address, factory.address]) {
    const call = { read: it.read, address: modularAccount.implementation, abi: it.account.abi, item, caller }
    const missing = { name: 'RuntimeValidationFunctionMissing', args: [toFunctionSelector(item)] }
    const notProxy = { name: 'UnauthorizedCallContext', args: [] }
    await expectRefused(call, rule, item.name === 'upgradeToAndCall' ? notProxy : (rule.refusal ?? missing))
  }
})

test('refuses unsigned operations and meaningless calls', async () => {
  const wrong = await createOperation(chain, it, executeData(demo, 0n, '0x'), { signer: it.stranger })
  expect(await readRevert(handle(chain, wrong))).toEqual({ name: 'FailedOp', args: [0n, 'AA24 signature error'] })
  const cases: [Hex, string][] = [
    ['0x', 'UnrecognizedFunction'],
    ['0xb61d27', 'UnrecognizedFunction'],
    ['0xdeadbeef', 'UserOpValidationFunctionMissing'],
    [encodeFunctionData({ abi, functionName: 'executeFromPlugin', args: ['0x'] }), 'UserOpValidationFunctionMissing'],
    [encodeFunctionData({ abi, functionName: 'initialize', args: [[], '0x'] }), 'UserOpValidationFunctionMissing'],
    // Anyone may call this function directly, but not as an operation.
    [eip712Domain, 'UserOpValidationFunctionMissing'],
  ]
  for (const [callData, name] of cases) {
    const operation = await createOperation(chain, it, callData)
    expect((await readRevert(validate(chain, it, operation))).name, callData).toBe(name)
  }
  for (const data of ['0xb61d27', '0xdeadbeef'] as const) {
    const call = it.read.call({ account: it.owner.address, to: it.address, data })
    await expect(call, data).rejects.toThrow(toFunctionSelector('RuntimeValidationFunctionMissing(bytes4)'))
  }
})

test('refuses calls to a plugin, which would take its caller’s request for one of the account', async () => {
  const target = plugins.MultiOwnerPlugin
  const args = [[it.stranger.address], []] as const
  const data = encodeFunctionData({ abi: multiOwnerPluginAbi, functionName: 'updateOwners', args })
  const calls = { execute: [target, 0n, data], executeBatch: [[{ target, value: 0n, data }]] }
  for (const [functionName, args] of Object.entries(calls)) {
    const call = { ...it.account, functionName, args, account: it.owner.address }
    const denied = { name: 'PluginCallDenied', args: [target] }
    expect(await readRevert(it.read.simulateContract(call))).toEqual(denied)
  }
})

test('names the plugin that serves a function and the functions that validate its calls', async () => {
  const ask = (functionName: string, ...args: unknown[]) => it.read.readContract({ ...it.account, functionName, args })
  const configOf = async (selector: Hex) => Object.values((await ask('getExecutionFunctionConfig', selector)) as object)
  const of = (id: Hex) => concat([plugins.MultiOwnerPlugin.toLowerCase() as Hex, id])
  const allow = toHex(1, { size: 21 })
  expect(await configOf('0xb61d27f6')).toEqual([it.address, of('0x01'), of('0x00')])
  expect(await configOf('0x39562247')).toEqual([plugins.MultiOwnerPlugin, of('0x01'), of('0x00')])
  expect(await configOf('0x1626ba7e')).toEqual([plugins.MultiOwnerPlugin, noReference, allow])
  expect(await configOf('0xdeadbeef')).toEqual([zeroAddress, noReference, noReference])
  expect(await ask('getInstalledPlugins')).toEqual([plugins.MultiOwnerPlugin])
  expect(await ask('getExecutionHooks', '0xb61d27f6')).toEqual([])
  expect(await ask('getPreValidationHooks', '0xb61d27f6')).toEqual([[], []])
  expect(await ask('entryPoint')).toBe(entryPoint)
  expect(await ask('getNonce')).toBeTypeOf('bigint')
})

test('accepts ether and tokens of every kind (ERC-165)', async () => {
  await it.by.transact({ to: it.address, value: 1n })
  const supports = (id: Hex) =>
    it.read.readContract({ address: it.address, abi, functionName: 'supportsInterface', args: [id] })
  const known = ['0x01ffc9a7', '0x150b7a02', '0x4e2312e0'] as const
  expect(await Promise.all(known.map(supports))).toEqual([true, true, true])
  expect(await Promise.all([supports('0xffffffff'), supports('0xf23b1ed7')])).toEqual([false, false])
  const args = [zeroAddress, zeroAddress, 1n, '0x']
  const call = { ...it.account, functionName: 'onERC721Received', args }
  expect((await it.read.simulateContract(call)).result).toBe('0x150b7a02')
})

const initializeData = async (owner: Address, plugin: Address = plugins.MultiOwnerPlugin) => {
  const { data: manifest = '0x' } = await it.read.call({ to: plugin, data: ask.pluginManifest })
  const owners = encodeAbiParameters([{ type: 'address[]' }], [[owner]])
  const init = encodeAbiParameters([{ type: 'bytes32[]' }, { type: 'bytes[]' }], [[keccak256(manifest)], [owners]])
  return encodeFunctionData({ abi, functionName: 'initialize', args: [[plugin], init] })
}
const upgradeTo = (implementation: Address, data: Hex = '0x') =>
  encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [implementation, data] })

test('refuses upgrades to code without upgrades', async () => {
  const caller = { ...it.account, account: it.owner.address }
  for (const target of [it.stranger.address, demo, it.address, factory.address]) {
    const call = it.read.simulateContract({ ...caller, functionName: 'upgradeToAndCall', args: [target, '0x'] })
    expect((await readRevert(call)).name, target).toBe('UpgradeFailed')
  }
  const uuid = { address: it.address, abi: it.account.abi, functionName: 'proxiableUUID' }
  expect((await readRevert(it.read.readContract(uuid))).name).toBe('UnauthorizedCallContext')
})

test('upgrades a light account with its owner in one operation', async () => {
  const light = await createLightAccount(chain, lightAccountV1_1_0)
  const owner = light.owner.address
  const upgrade = upgradeTo(modularAccount.implementation, await initializeData(owner))
  const operation = await createOperation(chain, light, executeData(light.address, 0n, upgrade))
  expect(await handle(chain, operation)).toMatchObject([{ success: true }])
  const owners = { ...multiOwnerPlugin, functionName: 'ownersOf', args: [light.address] } as const
  expect(await it.read.readContract(owners)).toEqual([owner])
  const next = await createOperation(chain, light, executeData(light.stranger.address, 1n, '0x'))
  expect(await handle(chain, next)).toMatchObject([{ success: true }])
})

test('refuses mismatched initialization data', async () => {
  const proxy = await bareProxy()
  const words = [{ type: 'bytes32[]' }, { type: 'bytes[]' }] as const
  const init = (hashes: readonly Hex[], datas: readonly Hex[]) => encodeAbiParameters(words, [hashes, datas])
  const one = toHex(1, { size: 32 })
  const call = (args: readonly unknown[]) =>
    readRevert(it.read.simulateContract({ address: proxy, abi: it.account.abi, functionName: 'initialize', args }))
  const mismatch = { name: 'ArrayLengthMismatch', args: [] }
  expect(await call([[plugins.MultiOwnerPlugin], init([], ['0x'])])).toEqual(mismatch)
  expect(await call([[plugins.MultiOwnerPlugin], init([one], [])])).toEqual(mismatch)
  const invalid = { name: 'InvalidPluginManifest', args: [] }
  expect(await call([[plugins.MultiOwnerPlugin], init([one], ['0x'])])).toEqual(invalid)
})

async function bareProxy(): Promise<Address> {
  const { address } = await chain.freshAccount()
  const code = await it.read.getCode({ address: it.address })
  await chain.request('anvil_setCode', [address, code])
  const word = `0x${modularAccount.implementation.slice(2).padStart(64, '0')}`
  await chain.request('anvil_setStorageAt', [address, implementationSlot, word])
  return address
}
