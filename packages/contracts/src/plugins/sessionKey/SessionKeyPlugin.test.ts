import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import { dummySignature } from '@latchkey/testkit/contracts/lightAccounts'
import { sessionKeyPluginAbi as abi, modularAccountAbi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  createOperation,
  errors,
  handle,
  hashOperation,
  multiOwnerPlugin,
  packed,
  plugins,
  sessionKeyPlugin,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { ask, encodeUninstall } from '@latchkey/testkit/contracts/scriptedPlugins'
import {
  allowAll,
  byOwner,
  createSessionAccount,
  executeData,
  installSessionKeys,
  type SessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import { test } from '@latchkey/testkit/contracts/test'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import fc from 'fast-check'
import {
  type Address,
  concat,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseEventLogs,
  toHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { expect } from 'vitest'

const plugin = sessionKeyPlugin.address
const target = '0x000000000000000000000000000000000000a001'
const call = { target, value: 0n, data: '0x' } as const
const first = toHex(1, { size: 32 })

let chain: TestChain
let it: SessionAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createSessionAccount(chain, [allowAll])
})

const read = (functionName: string, args: readonly unknown[] = []) =>
  it.read.readContract({ ...sessionKeyPlugin, functionName, args })
const keysOf = (account: Address) => read('sessionKeysOf', [account])
const predecessorOf = (account: Address, key: Address) => read('findPredecessor', [account, key]) as Promise<Hex>
const refusal = (functionName: string, args: readonly unknown[], account: Address) =>
  readRevert(it.read.simulateContract({ address: plugin, abi: [...abi, ...errors], functionName, args, account }))
const invalidKey = (key: Address) => ({ name: 'InvalidSessionKey', args: [key] })
const notPermitted = { name: 'PermissionsCheckFailed', args: [] }
const verdict = async (account: SessionAccount, ...calls: Parameters<typeof sessionOperation>[2][number][]) =>
  readRevert(validate(chain, account, await sessionOperation(chain, account, calls)))

test('has the published ABI, manifest and manifest hash', async () => {
  const { missing, extra } = compareAbis(readArtifact('SessionKeyPlugin').abi, abi)
  // The public code reverts with this error, although its ABI omits it.
  expect([missing, extra]).toEqual([[], ['error PermissionsCheckFailed()']])
  const { data = '0x' } = await it.read.call({ to: plugin, data: ask.pluginManifest })
  expect(keccak256(data)).toBe('0x833a1f0442e68769684efcd91c9fbd90948637d3d3bae76a4c7fd65f58e2947b')
  const keys = 'Modify Session Keys'
  expect(await read('pluginMetadata')).toEqual({
    name: 'Session Key Plugin',
    version: '1.0.1',
    author: 'Alchemy',
    permissionDescriptors: [
      { functionSelector: '0x9aa74d23', permissionDescription: keys },
      { functionSelector: '0x64b2bd25', permissionDescription: keys },
      { functionSelector: '0x85cb6e95', permissionDescription: keys },
      { functionSelector: '0xbb319893', permissionDescription: 'Modify Session Key Permissions' },
    ],
  })
})

test('adds keys by operations that call it directly', async () => {
  const account = await createSessionAccount(chain, [])
  const [a, b] = [(await chain.freshAccount()).address, (await chain.freshAccount()).address]
  const tag = keccak256(toHex('tag'))
  const updates = [update('setAccessListType', 2), update('updateTimeRange', 1, 2)]
  const { logs } = await byOwner(account, 'addSessionKey', a, tag, updates)
  expect(parseEventLogs({ abi, logs })).toMatchObject([
    { eventName: 'SessionKeyAdded', args: { account: account.address, sessionKey: a, tag } },
    { eventName: 'PermissionsUpdated', args: { account: account.address, sessionKey: a, updates } },
  ])
  const data = encodeFunctionData({ abi, functionName: 'addSessionKey', args: [b, zeroHash, []] })
  expect(await handle(chain, await createOperation(chain, account, data))).toMatchObject([{ success: true }])
  expect(await keysOf(account.address)).toEqual([b, a, account.key.address])
  expect(await predecessorOf(account.address, b)).toBe(first)
  expect(await predecessorOf(account.address, a)).toBe(concat([b.toLowerCase() as Hex, toHex(0, { size: 12 })]))
  expect(await read('getKeyTimeRange', [account.address, a])).toEqual([1, 2])
})

test('removes a key with its permissions', async () => {
  const account = await createSessionAccount(chain, [allowAll])
  const { address, key } = account
  const second = (await chain.freshAccount()).address
  await byOwner(account, 'addSessionKey', second, zeroHash, [])
  const { logs } = await byOwner(account, 'removeSessionKey', key.address, await predecessorOf(address, key.address))
  expect(parseEventLogs({ abi, logs })).toMatchObject([
    { eventName: 'SessionKeyRemoved', args: { sessionKey: key.address } },
  ])
  expect(await keysOf(address)).toEqual([second])
  expect(await read('isSessionKeyOf', [address, key.address])).toBe(false)
  expect(await verdict(account, call)).toEqual(notPermitted)
  expect(await readRevert(read('getAccessControlType', [address, key.address]))).toEqual(invalidKey(key.address))
  await byOwner(account, 'addSessionKey', key.address, zeroHash, [])
  expect(await read('getAccessControlType', [address, key.address])).toBe(0)
  expect(await verdict(account, call)).toEqual(notPermitted)
})

test('keeps permissions and spending of a rotated key', async () => {
  const account = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', 10n, 0)])
  const { address, key } = account
  await handle(chain, await sessionOperation(chain, account, [{ ...call, value: 6n }]))
  const next = await chain.freshAccount()
  const predecessor = await predecessorOf(address, key.address)
  const { logs } = await byOwner(account, 'rotateSessionKey', key.address, predecessor, next.address)
  expect(parseEventLogs({ abi, logs })).toMatchObject([
    { eventName: 'SessionKeyRotated', args: { oldSessionKey: key.address, newSessionKey: next.address } },
  ])
  expect(await verdict(account, call)).toEqual(notPermitted)
  const rotated = { ...account, key: next }
  const spent = { limit: 10n, limitUsed: 6n }
  expect(await read('getNativeTokenSpendLimitInfo', [address, next.address])).toMatchObject(spent)
  expect(await verdict(rotated, { ...call, value: 5n })).toEqual(notPermitted)
  const within = await sessionOperation(chain, rotated, [{ ...call, value: 4n }])
  expect(await handle(chain, within)).toMatchObject([{ success: true }])
})

test('finds every key after any changes', async () => {
  const { address } = await createModularAccount(chain)
  await chain.request('anvil_impersonateAccount', [address])
  const send = async (functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args })
    const hash = await chain.request<Hex>('eth_sendTransaction', [{ from: address, to: plugin, data, gas: '0x4c4b40' }])
    expect((await waitForTransaction(it.read, hash)).status).toBe('success')
  }
  let model: Address[] = []
  const pool = Array.from({ length: 6 }, (_, index) => toHex(0x1000n + BigInt(index), { size: 20 }))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...pool), fc.constantFrom(...pool), async (key, other) => {
      if (!model.includes(key)) {
        await send('addSessionKey', [key, zeroHash, []])
        model = [key, ...model]
      } else if (model.includes(other)) {
        await send('removeSessionKey', [key, await predecessorOf(address, key)])
        model = model.filter((member) => member !== key)
      } else {
        await send('rotateSessionKey', [key, await predecessorOf(address, key), other])
        model = [other, ...model.filter((member) => member !== key)]
      }
      expect(await keysOf(address)).toEqual(model)
    }),
    { numRuns: 25 },
  )
})

test('refuses impossible installs', async () => {
  const account = await createModularAccount(chain)
  const key = it.key.address
  const failure = async (...args: [Address[], Hex[][], Hex[]?]) => {
    const install = await installSessionKeys(account, ...args)
    const revert = await readRevert(account.read.simulateContract({ ...install, account: account.owner.address }))
    return revert.name === 'PluginInstallCallbackFailed'
      ? decodeErrorResult({ abi: errors, data: revert.args[1] as Hex })
      : revert
  }
  expect(await failure([key], [])).toMatchObject({ errorName: 'LengthMismatch' })
  expect(await failure([key], [[]], [])).toMatchObject({ errorName: 'LengthMismatch' })
  expect(await failure([key, key], [[], []])).toMatchObject({ errorName: 'InvalidSessionKey' })
  expect(await failure([zeroAddress], [[]])).toMatchObject({ errorName: 'InvalidSessionKey' })
  const none = await installSessionKeys(account, [], [])
  const noDependency = { ...none, args: [...none.args.slice(0, 3), []], account: account.owner.address }
  expect((await readRevert(account.read.simulateContract(noDependency))).name).toBe('InvalidDependenciesProvided')
  expect(await refusal('onInstall', ['0x'], it.stranger.address)).toMatchObject({ name: 'NotContractCaller' })
  expect(await refusal('onInstall', ['0x'], it.address)).toEqual({ name: 'AlreadyInitialized', args: [] })
})

test('depends on the plugin of the owners and removes all keys on uninstall', async () => {
  const account = await createSessionAccount(chain, [allowAll])
  const first = { ...encodeUninstall(account, { address: plugins.MultiOwnerPlugin }), account: account.owner.address }
  const violation = { name: 'PluginDependencyViolation', args: [plugins.MultiOwnerPlugin] }
  expect(await readRevert(account.read.simulateContract(first))).toEqual(violation)
  const data = encodeFunctionData(encodeUninstall(account, { address: plugin }))
  const { logs } = await account.by.transact({ to: account.address, data, gas: 3_000_000n })
  expect(parseEventLogs({ abi, logs, eventName: 'SessionKeyRemoved' })).toMatchObject([
    { args: { sessionKey: account.key.address } },
  ])
  expect(await keysOf(account.address)).toEqual([])
  expect((await verdict(account, call)).name).toBe('UserOpValidationFunctionMissing')
  const again = await installSessionKeys(account, [account.key.address], [[]])
  await account.by.transact({ to: account.address, data: encodeFunctionData(again), gas: 5_000_000n })
  expect(await read('getAccessControlType', [account.address, account.key.address])).toBe(0)
})

test('refuses invalid and known keys, and wrong predecessors', async () => {
  const { address, key } = it
  const other = it.stranger.address
  for (const bad of [zeroAddress, key.address])
    expect(await refusal('addSessionKey', [bad, zeroHash, []], address)).toEqual(invalidKey(bad))
  expect(await refusal('rotateSessionKey', [key.address, first, zeroAddress], address)).toEqual(invalidKey(zeroAddress))
  const rest = toHex(0, { size: 12 })
  for (const wrong of [zeroHash, concat([other, rest]), concat([key.address, rest])]) {
    expect(await refusal('removeSessionKey', [key.address, wrong], address)).toEqual(invalidKey(key.address))
    expect(await refusal('rotateSessionKey', [key.address, wrong, other], address)).toEqual(invalidKey(key.address))
  }
  expect(await refusal('removeSessionKey', [other, first], address)).toEqual(invalidKey(other))
  expect(await refusal('updateKeyPermissions', [other, []], address)).toEqual(invalidKey(other))
  expect(await refusal('resetSessionKeyGasLimitTimestamp', [address, other], other)).toEqual(invalidKey(other))
  for (const functionName of [
    'getAccessControlType',
    'getRequiredPaymaster',
    'getGasSpendLimit',
    'getNativeTokenSpendLimitInfo',
    'getKeyTimeRange',
  ])
    expect(await readRevert(read(functionName, [address, other]))).toEqual(invalidKey(other))
  const notFound = { name: 'SessionKeyNotFound', args: [other] }
  expect(await readRevert(read('findPredecessor', [address, other]))).toEqual(notFound)
})

test('refuses unknown updates', async () => {
  const updating = (updates: readonly Hex[]) => refusal('updateKeyPermissions', [it.key.address, updates], it.address)
  for (const unknown of ['0x', '0x12', '0xdeadbeef', '0xdeadbeef00'] as const)
    expect(await updating([allowAll, unknown])).toEqual({
      name: 'InvalidPermissionsUpdate',
      args: [`0x${unknown.slice(2, 10).padEnd(8, '0')}`],
    })
  const noToken = update('setERC20SpendLimit', zeroAddress, 1n, 0)
  expect(await updating([noToken])).toEqual({ name: 'InvalidToken', args: [zeroAddress] })
  // Data that ends after the selector is refused.
  expect((await updating([allowAll.slice(0, 10) as Hex])).name).toBe('execution reverted')
})

test('refuses signatures of others and malformed ones', async () => {
  const second = await createSessionAccount(chain, [allowAll])
  const operation = await sessionOperation(chain, it, [call])
  for (const signer of [it.owner, it.stranger, second.key])
    expect(await validate(chain, it, await sessionOperation(chain, it, [call], { signer }))).toBe(1n)
  // One signature belongs to another operation, the other is the stub for gas estimates.
  const { signature } = await sessionOperation(chain, it, [call, call])
  expect(await validate(chain, it, { ...operation, signature })).toBe(1n)
  expect(await validate(chain, it, { ...operation, signature: dummySignature })).toBe(1n)
  for (const signature of ['0x', '0x1234', toHex(0, { size: 65 })] as const)
    expect(await readRevert(validate(chain, it, { ...operation, signature }))).toEqual({
      name: 'InvalidSignature',
      args: [it.key.address],
    })
})

test('refuses the key of another account, and an owner who names a key', async () => {
  const second = await createSessionAccount(chain, [allowAll])
  const foreign = await createOperation(chain, it, executeData([call], second.key.address), { signer: second.key })
  expect(await readRevert(validate(chain, it, foreign))).toEqual(notPermitted)
  const named = await createOperation(chain, it, executeData([call], it.key.address))
  expect(await validate(chain, it, named)).toBe(1n)
})

test('allows a key only executeWithSessionKey, and nobody a direct call of it', async () => {
  const { owner, stranger, key, address } = it
  const execute = encodeFunctionData({ abi: modularAccountAbi, functionName: 'execute', args: [target, 0n, '0x'] })
  const forbidden = [
    execute,
    encodeFunctionData({ abi, functionName: 'addSessionKey', args: [stranger.address, zeroHash, []] }),
    encodeFunctionData({ abi, functionName: 'updateKeyPermissions', args: [key.address, [allowAll]] }),
    encodeFunctionData({ abi: multiOwnerPlugin.abi, functionName: 'updateOwners', args: [[key.address], []] }),
  ]
  for (const data of forbidden) {
    expect(await validate(chain, it, await createOperation(chain, it, data, { signer: key }))).toBe(1n)
    await expect(it.read.call({ to: address, data, account: key.address })).rejects.toThrow()
  }
  const denied = errors.filter((item) => item.type === 'error' && item.name === 'AlwaysDenyRule')
  const direct = { address, abi: [...abi, ...denied], functionName: 'executeWithSessionKey', args: [[], key.address] }
  for (const account of [key.address, owner.address, stranger.address, address, plugin]) {
    const call = it.read.simulateContract({ ...direct, account })
    expect(await readRevert(call)).toEqual({ name: 'AlwaysDenyRule', args: [] })
  }
})

test('keeps a key that may call everything away from the account and its plugins', async () => {
  const args = [[it.key.address], []] as const
  const data = encodeFunctionData({ abi: multiOwnerPlugin.abi, functionName: 'updateOwners', args })
  const reasonOf = async (to: Address) => {
    const [result] = await handle(chain, await sessionOperation(chain, it, [{ target: to, value: 0n, data }]))
    return decodeErrorResult({ abi: errors, data: result?.reason ?? '0x' }).errorName
  }
  expect(await reasonOf(it.address)).toBe('ExecFromPluginExternalNotPermitted')
  expect(await reasonOf(plugins.MultiOwnerPlugin)).toBe('PluginCallDenied')
  expect(await reasonOf(plugin)).toBe('PluginCallDenied')
})

test('refuses unknown function ids and functions', async () => {
  const operation = packed(await sessionOperation(chain, it, [call]))
  const hash = hashOperation(chain, await sessionOperation(chain, it, [call]))
  const cases: [string, readonly unknown[]][] = [
    ['userOpValidationFunction', [1, operation, hash]],
    ['runtimeValidationFunction', [0, it.owner.address, 0n, '0x']],
    ['preUserOpValidationHook', [0, operation, hash]],
    ['preRuntimeValidationHook', [0, it.owner.address, 0n, '0x']],
    ['preExecutionHook', [0, it.owner.address, 0n, '0x']],
    ['postExecutionHook', [0, '0x']],
  ]
  for (const [functionName, args] of cases) {
    const { name } = await refusal(functionName, args, it.address)
    expect(name, functionName).toBe('NotImplemented')
  }
})
