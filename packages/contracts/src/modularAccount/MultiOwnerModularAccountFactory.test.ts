import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { anyAddress } from '@latchkey/testkit/contracts/arbitraryArguments'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  entryPoint,
  errors,
  factory,
  modularAccount,
  multiOwnerPlugin,
  plugins,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import fc from 'fast-check'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  keccak256,
  parseEther,
  toHex,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'
import { devAccountOf, devAccounts } from '../../../dev/src/chain/devAccounts.ts'

/** The public hash of the proxy's init code, and one public address. */
const initCodeHash = '0x290e38adc54809e68d4269a3aa326c165d632b86b49007e3e55bc89d6b01deb7'
const vector = { owner: devAccounts[0].address, address: '0x2b697BF97E0a592641D9DEf8d604f86Fa7d488c7' }

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const ownersFrom = (count: number) =>
  Array.from({ length: count }, (_, index) => getAddress(toHex(0x10001 + index, { size: 20 })))
const addressOf = async (salt: bigint, owners: readonly Address[]) => {
  const call = { ...factory, functionName: 'getAddress', args: [salt, owners] }
  return (await chain.client(1).read.readContract(call)) as Address
}
const createData = (salt: bigint, owners: readonly Address[]) =>
  encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args: [salt, owners] })
const keeper = devAccountOf.paymasterOwner

test('returns the published address', async () => {
  expect(await addressOf(0n, [vector.owner])).toBe(vector.address)
})

test('has the published ABI and more error names', () => {
  const { missing, extra } = compareAbis(readArtifact('MultiOwnerModularAccountFactory').abi, factory.abi)
  expect(missing).toEqual([])
  expect(extra).toEqual([
    'error AddressEmptyCode(address)',
    'error AddressInsufficientBalance(address)',
    'error FailedInnerCall()',
    'error OwnableInvalidOwner(address)',
    'error OwnableUnauthorizedAccount(address)',
    'error SafeERC20FailedOperation(address)',
  ])
})

test('names the parts of its accounts', async () => {
  const { read } = chain.client(1)
  const ask = (functionName: 'ENTRYPOINT' | 'IMPL' | 'MULTI_OWNER_PLUGIN') =>
    read.readContract({ ...factory, functionName })
  expect(await ask('ENTRYPOINT')).toBe(entryPoint)
  expect(await ask('IMPL')).toBe(modularAccount.implementation)
  expect(await ask('MULTI_OWNER_PLUGIN')).toBe(plugins.MultiOwnerPlugin)
})

test('agrees with EIP-1014 for any sorted owners and salt', async () => {
  const isOwners = (owners: readonly Address[]) =>
    owners.every((owner, index) => BigInt(owner) > BigInt(owners[index - 1] ?? 0))
  const addresses = fc
    .uniqueArray(anyAddress, { minLength: 1, maxLength: 5, selector: (owner) => owner.toLowerCase() })
    .map((owners) => owners.sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)))
    .filter(isOwners)
  await fc.assert(
    fc.asyncProperty(addresses, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), async (owners, salt) => {
      const encoded = encodeAbiParameters([{ type: 'address[]' }], [owners])
      const combined = keccak256(encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [salt, encoded]))
      const bytes = concat(['0xff', factory.address, combined, initCodeHash])
      expect(await addressOf(salt, owners)).toBe(getAddress(`0x${keccak256(bytes).slice(-40)}`))
    }),
    { numRuns: 20 },
  )
})

test('deploys at the predicted address with the owners and returns it again later', async () => {
  const by = chain.client(2)
  const owners = ownersFrom(3)
  const address = await addressOf(7n, owners)
  expect(await by.read.getCode({ address })).toBeUndefined()
  const call = { ...factory, functionName: 'createAccount', args: [7n, owners] } as const
  expect((await by.read.simulateContract(call)).result).toBe(address)
  await by.transact({ to: factory.address, data: createData(7n, owners) })
  const ask = { ...multiOwnerPlugin, functionName: 'ownersOf', args: [address] } as const
  expect(await by.read.readContract(ask)).toEqual([...owners].reverse())

  const nonce = await by.read.getTransactionCount({ address: factory.address })
  expect((await by.read.simulateContract(call)).result).toBe(address)
  await by.transact({ to: factory.address, data: createData(7n, owners) })
  expect(await by.read.getTransactionCount({ address: factory.address })).toBe(nonce)
})

test('fits a hundred owners into a block', async () => {
  const owners = ownersFrom(100)
  await chain.client(1).transact({ to: factory.address, data: createData(0n, owners) })
  const args = [await addressOf(0n, owners)] as const
  const { read } = chain.client(1)
  expect(await read.readContract({ ...multiOwnerPlugin, functionName: 'ownersOf', args })).toHaveLength(100)
})

test('predicts addresses of sorted lists of at most 100 owners', async () => {
  const [a, b, c] = ownersFrom(3) as [Address, Address, Address]
  const cases: [readonly Address[], string][] = [
    [[], 'OwnersArrayEmpty'],
    [ownersFrom(101), 'OwnersLimitExceeded'],
    [[zeroAddress], 'InvalidOwner'],
    [[zeroAddress, a], 'InvalidOwner'],
    [[a, a], 'InvalidOwner'],
    [[b, a], 'InvalidOwner'],
    [[a, c, b], 'InvalidOwner'],
  ]
  for (const [owners, name] of cases) await expect(addressOf(0n, owners), name).rejects.toThrow(name)
  await expect(addressOf(0n, ownersFrom(100))).resolves.toMatch(/^0x/)
})

test('leaves the check of owners to the plugin when it creates an account', async () => {
  const [a, b] = ownersFrom(2) as [Address, Address]
  const create = (owners: readonly Address[]) =>
    chain.client(1).read.simulateContract({
      ...factory,
      abi: [...factory.abi, ...errors],
      functionName: 'createAccount',
      args: [0n, owners],
      gas: 2_000_000_000n,
    })
  for (const owners of [[], [zeroAddress], [zeroAddress, a], [a, a]])
    expect((await readRevert(create(owners))).name).toBe('PluginInstallCallbackFailed')
  for (const owners of [[b, a], ownersFrom(101), ownersFrom(1_000)])
    expect((await create(owners)).result).toMatch(/^0x/)
})

test('lets the owner stake and withdraw stake, ether and tokens', async () => {
  const by = chain.connect(keeper.privateKey)
  const target = toHex(BigInt((await chain.freshAccount()).address) ^ 1n, { size: 20 })
  const send = (functionName: string, args: readonly unknown[], value = 0n) =>
    by.transact({ to: factory.address, data: encodeFunctionData({ abi: factory.abi, functionName, args }), value })
  await send('addStake', [60, parseEther('2')], parseEther('2'))
  await send('unlockStake', [])
  await chain.request('evm_increaseTime', [61])
  await chain.request('evm_mine')
  await send('withdrawStake', [target])
  expect(await by.read.getBalance({ address: target })).toBe(parseEther('2'))

  await by.transact({ to: factory.address, value: 5n })
  await send('withdraw', [target, zeroAddress, 5n])
  expect(await by.read.getBalance({ address: target })).toBe(parseEther('2') + 5n)
  await by.transact(mint(factory.address, 7n))
  await send('withdraw', [target, demo, 7n])
  const balance = { address: demo, abi: demoAbi, functionName: 'balanceOf', args: [target] } as const
  expect(await by.read.readContract(balance)).toBe(7n)

  const args = [target, zeroAddress, 1n] as const
  const tooMuch = { ...factory, functionName: 'withdraw', args, account: keeper.address } as const
  expect((await readRevert(by.read.simulateContract(tooMuch))).name).toBe('TransferFailed')
  const give = { ...factory, functionName: 'renounceOwnership', account: keeper.address } as const
  expect((await readRevert(by.read.readContract(give))).name).toBe('InvalidAction')
})

test('transfers ownership in two steps', async () => {
  const next = await chain.freshAccount()
  const { read, transact } = chain.connect(keeper.privateKey)
  const ask = (functionName: 'owner' | 'pendingOwner') => read.readContract({ ...factory, functionName })
  const offer = (to: Address) => encodeFunctionData({ abi: factory.abi, functionName: 'transferOwnership', args: [to] })
  const accept = encodeFunctionData({ abi: factory.abi, functionName: 'acceptOwnership' })
  await transact({ to: factory.address, data: offer(next.address) })
  expect([await ask('owner'), await ask('pendingOwner')]).toEqual([keeper.address, next.address])
  await chain.connect(next.privateKey).transact({ to: factory.address, data: accept })
  expect([await ask('owner'), await ask('pendingOwner')]).toEqual([next.address, zeroAddress])
  await chain.connect(next.privateKey).transact({ to: factory.address, data: offer(keeper.address) })
  await transact({ to: factory.address, data: accept })
  expect(await ask('owner')).toBe(keeper.address)
})
