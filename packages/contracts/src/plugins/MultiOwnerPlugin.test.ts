import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import { dummySignature } from '@latchkey/testkit/contracts/lightAccounts'
import { multiOwnerPluginAbi as abi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  createOperation,
  entryPoint,
  handle,
  hashOperation,
  type ModularTestAccount,
  multiOwnerPlugin,
  packed,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { ask } from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import fc from 'fast-check'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  parseEventLogs,
  stringToHex,
  toHex,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'

const plugin = multiOwnerPlugin.address
const valid = '0x1626ba7e'
const invalid = '0xffffffff'
/** This code accepts every signature. Its shorter form accepts no signature. */
const yes = '0x631626ba7e60e01b60005260206000f3'
const no = '0x60206000f3'

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createModularAccount(chain)
})

const read = (functionName: string, args: readonly unknown[] = []) =>
  it.read.readContract({ ...multiOwnerPlugin, functionName, args })
const ownersOf = (account: Address) => read('ownersOf', [account])
const updateData = (add: readonly Address[], remove: readonly Address[]) =>
  encodeFunctionData({ abi, functionName: 'updateOwners', args: [add, remove] })
const refusal = (functionName: string, args: readonly unknown[], account: Address) =>
  readRevert(it.read.simulateContract({ ...multiOwnerPlugin, functionName, args, account }))

test('returns the owners of an account', async () => {
  expect(await ownersOf(it.address)).toEqual([it.owner.address])
  expect(await read('isOwnerOf', [it.address, it.owner.address])).toBe(true)
  expect(await read('isOwnerOf', [it.address, it.stranger.address])).toBe(false)
  expect(await ownersOf(it.stranger.address)).toEqual([])
  for (const nobody of [zeroAddress, toHex(1, { size: 20 })])
    expect(await read('isOwnerOf', [it.address, nobody])).toBe(false)
})

test('has the published ABI, manifest and manifest hash', async () => {
  const { missing, extra } = compareAbis(readArtifact('MultiOwnerPlugin').abi, abi)
  expect([missing, extra]).toEqual([[], []])
  const { data = '0x' } = await it.read.call({ to: plugin, data: ask.pluginManifest })
  expect(keccak256(data)).toBe('0x21d0f6cca8bef15ac65bf93ae5ae9ec383ea5010bf3e02b44d3c0abd2d2bd0fb')
  expect(await read('pluginMetadata')).toEqual({
    name: 'Multi Owner Plugin',
    version: '1.0.0',
    author: 'Alchemy',
    permissionDescriptors: [{ functionSelector: '0x39562247', permissionDescription: 'Modify Ownership' }],
  })
  const ids = ['0x01ffc9a7', '0xf23b1ed7', '0xffffffff']
  expect(await Promise.all(ids.map((id) => read('supportsInterface', [id])))).toEqual([true, true, false])
})

test('changes owners by an operation that calls it directly', async () => {
  const account = await createModularAccount(chain)
  const { owner, stranger } = account
  const update = await createOperation(chain, account, updateData([stranger.address], [owner.address]))
  expect(await handle(chain, update)).toMatchObject([{ success: true }])
  expect(await ownersOf(account.address)).toEqual([stranger.address])
  const old = await createOperation(chain, account, updateData([owner.address], []))
  expect((await readRevert(handle(chain, old))).args).toEqual([0n, 'AA24 signature error'])
  const next = await createOperation(chain, account, updateData([owner.address], []), { signer: stranger })
  expect(await handle(chain, next)).toMatchObject([{ success: true }])
  expect(await ownersOf(account.address)).toEqual([owner.address, stranger.address])
})

test('emits changes and keeps an address in both lists', async () => {
  const { address, by, owner, stranger } = await createModularAccount(chain)
  const { logs } = await by.transact({
    to: address,
    data: updateData([owner.address, stranger.address], [owner.address]),
  })
  expect(parseEventLogs({ abi, logs, eventName: 'OwnerUpdated' })).toMatchObject([
    { args: { account: address, addedOwners: [owner.address, stranger.address], removedOwners: [owner.address] } },
  ])
  expect(await ownersOf(address)).toEqual([stranger.address, owner.address])
})

test('matches a set model after any changes', async () => {
  const { address } = await createModularAccount(chain)
  const model = new Set<Address>((await ownersOf(address)) as Address[])
  const pool = Array.from({ length: 8 }, (_, index) => toHex(0x1000n + BigInt(index), { size: 20 }))
  await chain.request('anvil_impersonateAccount', [address])
  const subset = fc.subarray(pool)
  await fc.assert(
    fc.asyncProperty(subset, subset, async (wanted, unwanted) => {
      const remove = unwanted.filter((owner) => model.has(owner))
      const add = wanted.filter((owner) => !model.has(owner) || remove.includes(owner))
      const hash = await chain.request<Hex>('eth_sendTransaction', [
        { from: address, to: plugin, data: updateData(add, remove), gas: '0x4c4b40' },
      ])
      expect((await waitForTransaction(it.read, hash)).status).toBe('success')
      for (const owner of remove) model.delete(owner)
      for (const owner of add) model.add(owner)
      expect(new Set((await ownersOf(address)) as Address[])).toEqual(model)
    }),
    { numRuns: 12 },
  )
})

test('refuses impossible changes', async () => {
  const { address, owner, stranger } = it
  const other = stranger.address
  const cases: [Address[], Address[], { name: string; args: unknown[] }][] = [
    [[], [other], { name: 'OwnerDoesNotExist', args: [other] }],
    [[], [zeroAddress], { name: 'OwnerDoesNotExist', args: [zeroAddress] }],
    [[], [owner.address, owner.address], { name: 'OwnerDoesNotExist', args: [owner.address] }],
    [[owner.address], [], { name: 'InvalidOwner', args: [owner.address] }],
    [[other, other], [], { name: 'InvalidOwner', args: [other] }],
    [[zeroAddress], [], { name: 'InvalidOwner', args: [zeroAddress] }],
    [[], [owner.address], { name: 'EmptyOwnersNotAllowed', args: [] }],
  ]
  for (const [add, remove, expected] of cases)
    expect(await refusal('updateOwners', [add, remove], address)).toEqual(expected)
  expect(await refusal('updateOwners', [[other], []], other)).toEqual({ name: 'NotInitialized', args: [] })
  expect(await ownersOf(address)).toEqual([owner.address])
})

test('refuses impossible installs', async () => {
  const install = (owners: readonly Address[], account: Address) =>
    refusal('onInstall', [encodeAbiParameters([{ type: 'address[]' }], [owners])], account)
  const [a] = [it.stranger.address]
  expect(await install([a], it.address)).toEqual({ name: 'AlreadyInitialized', args: [] })
  expect(await install([a], a)).toEqual({ name: 'NotContractCaller', args: [a] })
  expect(await install([], entryPoint)).toEqual({ name: 'EmptyOwnersNotAllowed', args: [] })
  for (const owners of [[zeroAddress], [a, a]])
    expect(await install(owners, entryPoint)).toEqual({ name: 'InvalidOwner', args: [owners.at(-1)] })
})

test('leaves no owner after an uninstall', async () => {
  const account = await createModularAccount(chain, [it.stranger.address])
  await chain.request('anvil_impersonateAccount', [account.address])
  const data = encodeFunctionData({ abi, functionName: 'onUninstall', args: ['0x'] })
  const hash = await chain.request<Hex>('eth_sendTransaction', [{ from: account.address, to: plugin, data }])
  await waitForTransaction(it.read, hash)
  expect(await ownersOf(account.address)).toEqual([])
  expect(await read('isOwnerOf', [account.address, account.owner.address])).toBe(false)
})

test('refuses unknown function ids', async () => {
  const operation = await createOperation(chain, it, '0x')
  const validations = [
    ['runtimeValidationFunction', [1, it.owner.address, 0n, '0x']],
    ['userOpValidationFunction', [0, packed(operation), hashOperation(chain, operation)]],
  ] as const
  for (const [functionName, args] of validations) {
    const call = it.read.readContract({ ...multiOwnerPlugin, functionName, args, account: it.address })
    expect(await readRevert(call)).toEqual({ name: 'NotImplemented', args: [ask[functionName], args[0]] })
  }
})

test('accepts any owner’s key, and asks a contract owner about the bare hash', async () => {
  const contract = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [contract, yes])
  const account = await createModularAccount(chain, [contract])
  const call = updateData([account.stranger.address], [])
  const byKey = await createOperation(chain, account, call)
  expect(await validate(chain, account, byKey)).toBe(0n)
  expect(await validate(chain, account, { ...byKey, signature: '0x' })).toBe(0n)
  await chain.request('anvil_setCode', [contract, no])
  expect(await validate(chain, account, byKey)).toBe(0n)
  for (const signature of ['0x', '0x00', dummySignature, `${byKey.signature}00`] as const)
    expect(await validate(chain, account, { ...byKey, signature })).toBe(1n)
})

const wrapped = (account: Address, digest: Hex, chainId = chain.chainId) =>
  ({
    domain: {
      name: 'Multi Owner Plugin',
      version: '1.0.0',
      chainId,
      verifyingContract: account,
      salt: concat([plugin, toHex(0, { size: 12 })]),
    },
    types: { AlchemyModularAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'AlchemyModularAccountMessage',
    message: { message: digest },
  }) as const

const isValid = (account: Address, digest: Hex, signature: Hex) =>
  it.read.readContract({ address: account, abi, functionName: 'isValidSignature', args: [digest, signature] })

test('accepts a message that the owner signed for the account (ERC-1271)', async () => {
  const digest = keccak256(stringToHex('message'))
  const data = wrapped(it.address, digest)
  expect(await read('getMessageHash', [it.address, digest])).toBe(hashTypedData(data))
  expect(keccak256((await read('encodeMessageData', [it.address, digest])) as Hex)).toBe(hashTypedData(data))
  expect(await isValid(it.address, digest, await it.owner.signTypedData(data))).toBe(valid)
})

test('refuses messages of others, for others, elsewhere or bare', async () => {
  const digest = keccak256(stringToHex('message'))
  const { owner, stranger } = it
  const second = await createModularAccount(chain, [owner.address])
  const signatures = [
    await stranger.signTypedData(wrapped(it.address, digest)),
    await owner.signTypedData(wrapped(second.address, digest)),
    await owner.signTypedData(wrapped(it.address, keccak256(digest))),
    await owner.signTypedData(wrapped(it.address, digest, chain.chainId + 1)),
    await owner.signMessage({ message: { raw: digest } }),
    await owner.sign({ hash: digest }),
    dummySignature,
    '0x',
  ] as const
  for (const signature of signatures) expect(await isValid(it.address, digest, signature)).toBe(invalid)
})

test('asks a contract owner about the wrapped digest', async () => {
  const contract = (await chain.freshAccount()).address
  const account = await createModularAccount(chain, [contract])
  const digest = keccak256(stringToHex('message'))
  // This code accepts only the wrapped digest.
  const hash = hashTypedData(wrapped(account.address, digest))
  const judge = concat(['0x7f', hash, '0x60043514631626ba7e60e01b0260005260206000f3'])
  await chain.request('anvil_setCode', [contract, judge])
  expect(await isValid(account.address, digest, '0x1234')).toBe(valid)
  expect(await isValid(account.address, keccak256(digest), '0x1234')).toBe(invalid)
  await chain.request('anvil_setCode', [contract, no])
  expect(await isValid(account.address, digest, '0x1234')).toBe(invalid)
})

test('returns the domain of the calling account (ERC-5267)', async () => {
  const domain = [
    '0x1f',
    'Multi Owner Plugin',
    '1.0.0',
    BigInt(chain.chainId),
    it.address,
    `${plugin.toLowerCase()}${'0'.repeat(24)}`,
    [],
  ]
  const call = { abi, functionName: 'eip712Domain' } as const
  expect(await it.read.readContract({ ...call, address: it.address })).toEqual(domain)
  expect(await it.read.readContract({ ...call, address: plugin, account: it.address })).toEqual(domain)
})
