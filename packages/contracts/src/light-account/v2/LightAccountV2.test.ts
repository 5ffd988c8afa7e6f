import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  toHex,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byKey, createAccountV2, emptyOperation07 } from '../../../../../test/contracts/lightAccountV2.ts'
import { lightAccountV2Abi as abi, lightAccountFactoryV2Abi } from '../../../../../test/contracts/lightAccountV2Abi.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { shapeOf } from '../../../../../test/contracts/shapeOf.ts'
import { readArtifact, startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { factory, implementation } = devAddresses.lightAccountV2
const entryPoint = devAddresses.entryPoints['0.7.0']
const { demo } = devAddresses
const demoAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'error InsufficientBalance(address owner, uint256 balance, uint256 needed)',
])
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

const setUp = (owner?: Address) => createAccountV2(chain, owner)

test('default', async () => {
  const { account, owner, read } = await setUp()
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)
  expect(await read.readContract({ ...account, functionName: 'entryPoint' })).toBe(entryPoint)
  expect(await read.readContract({ ...account, functionName: 'getNonce' })).toBe(0n)
})

test('behavior: the ABI is the published one', () => {
  expect(shapeOf(readArtifact('LightAccountV2').abi)).toEqual(shapeOf(abi))
})

test('behavior: storage slots are those of their namespaces (ERC-7201)', async () => {
  const slotOf = (name: string): Hex => {
    const inner = toHex(BigInt(keccak256(toHex(name))) - 1n, { size: 32 })
    return toHex(BigInt(keccak256(inner)) & ~0xffn, { size: 32 })
  }
  const { address, owner, read } = await setUp()
  const [stored, version] = await Promise.all([
    read.getStorageAt({ address, slot: slotOf('latchkey.storage.LightAccountV2') }),
    read.getStorageAt({ address, slot: slotOf('latchkey.storage.Initializable') }),
  ])
  expect(BigInt(stored ?? 0)).toBe(BigInt(owner.address))
  expect(BigInt(version ?? 0)).toBe(1n)
})

test('behavior: creation announces itself', async () => {
  const owner = (await chain.freshAccount()).address
  const client = chain.client(1)
  const parameters = { address: factory, abi: lightAccountFactoryV2Abi, args: [owner, 0n] } as const
  const address = await client.read.readContract({ ...parameters, functionName: 'getAddress' })
  const { blockNumber } = await client.transact({
    to: factory,
    data: encodeFunctionData({ ...parameters, functionName: 'createAccount' }),
  })
  const events = await client.read.getContractEvents({ address, abi, fromBlock: blockNumber, toBlock: blockNumber })
  expect(events.map(({ eventName, args }) => ({ eventName, args }))).toEqual([
    { eventName: 'LightAccountInitialized', args: { entryPoint, owner } },
    { eventName: 'OwnershipTransferred', args: { previousOwner: zeroAddress, newOwner: owner } },
    { eventName: 'Initialized', args: { version: 1n } },
  ])
})

test('behavior: owner and entry point execute, also many calls at once', async () => {
  const { account, address, by, read } = await setUp()
  const mint = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [address, 5n] })
  const send = (args: readonly [Address[], bigint[], Hex[]]) =>
    encodeFunctionData({ abi, functionName: 'executeBatch', args })
  const target = (await chain.freshAccount()).address

  await by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'execute', args: [demo, 0n, mint] }) })
  await by.transact({
    to: address,
    data: encodeFunctionData({
      abi,
      functionName: 'executeBatch',
      args: [
        [demo, demo],
        [mint, mint],
      ],
    }),
  })
  const three = send([
    [demo, target],
    [0n, 7n],
    [mint, '0x'],
  ])
  expect(three.slice(0, 10)).toBe('0x47e1da2a')
  await by.transact({ to: address, data: three })
  expect(await read.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })).toBe(20n)
  expect(await read.getBalance({ address: target })).toBe(parseEther('100') + 7n)
  await read.simulateContract({ ...account, functionName: 'execute', args: [demo, 0n, mint], account: entryPoint })
})

test('error: a failing call passes its own revert on, and one of a batch undoes all', async () => {
  const { account, address, owner, read } = await setUp()
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [owner.address, 1n] })
  const withDemo = { address, abi: [...abi, ...demoAbi] } as const
  const one = read.simulateContract({
    ...withDemo,
    functionName: 'execute',
    args: [demo, 0n, data],
    account: owner.address,
  })
  expect(await revertOf(one)).toEqual({ name: 'InsufficientBalance', args: [address, 0n, 1n] })
  const two = read.simulateContract({
    ...withDemo,
    functionName: 'executeBatch',
    args: [
      [owner.address, demo],
      [1n, 0n],
      ['0x', data],
    ],
    account: owner.address,
  })
  expect(await revertOf(two)).toEqual({ name: 'InsufficientBalance', args: [address, 0n, 1n] })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)
})

test('error: batches of unequal lengths', async () => {
  const { account, owner, read } = await setUp()
  const common = { ...account, functionName: 'executeBatch', account: owner.address } as const
  const calls = [
    read.simulateContract({ ...common, args: [[demo], []] }),
    read.simulateContract({ ...common, args: [[], ['0x']] }),
    read.simulateContract({ ...common, args: [[demo], [], ['0x']] }),
    read.simulateContract({ ...common, args: [[demo], [0n], []] }),
    read.simulateContract({ ...common, args: [[demo], [0n, 0n], ['0x']] }),
  ]
  for (const { name } of await Promise.all(calls.map(revertOf))) expect(name).toBe('ArrayLengthMismatch')
})

test('error: a stranger may call none of what changes the account', async () => {
  const { account, address, stranger, read } = await setUp()
  const caller = { ...account, account: stranger.address } as const
  const calls = [
    read.simulateContract({ ...caller, functionName: 'execute', args: [demo, 0n, '0x'] }),
    read.simulateContract({ ...caller, functionName: 'executeBatch', args: [[], []] }),
    read.simulateContract({ ...caller, functionName: 'executeBatch', args: [[], [], []] }),
    read.simulateContract({ ...caller, functionName: 'transferOwnership', args: [stranger.address] }),
    read.simulateContract({ ...caller, functionName: 'upgradeToAndCall', args: [implementation, '0x'] }),
    read.simulateContract({ ...caller, functionName: 'withdrawDepositTo', args: [stranger.address, 0n] }),
    read.simulateContract({
      ...caller,
      functionName: 'validateUserOp',
      args: [emptyOperation07(address, '0x'), toHex(1, { size: 32 }), 0n],
    }),
  ]
  for (const revert of await Promise.all(calls.map(revertOf)))
    expect(revert).toEqual({ name: 'NotAuthorized', args: [stranger.address] })
})

test('error: the entry point may execute, and do nothing of the owner’s directly', async () => {
  const { account, read } = await setUp()
  const caller = { ...account, account: entryPoint } as const
  const calls = [
    read.simulateContract({ ...caller, functionName: 'transferOwnership', args: [demo] }),
    read.simulateContract({ ...caller, functionName: 'upgradeToAndCall', args: [implementation, '0x'] }),
    read.simulateContract({ ...caller, functionName: 'withdrawDepositTo', args: [demo, 0n] }),
  ]
  for (const revert of await Promise.all(calls.map(revertOf)))
    expect(revert).toEqual({ name: 'NotAuthorized', args: [entryPoint] })
})

test('error: the owner is not the entry point', async () => {
  const { account, address, owner, read } = await setUp()
  const call = read.simulateContract({
    ...account,
    functionName: 'validateUserOp',
    args: [emptyOperation07(address, '0x'), toHex(1, { size: 32 }), 1n],
    account: owner.address,
  })
  expect(await revertOf(call)).toEqual({ name: 'NotAuthorized', args: [owner.address] })
})

test('error: initialize a second time, on a proxy and on the implementation', async () => {
  const { account, owner, stranger, read } = await setUp()
  for (const caller of [owner.address, stranger.address, entryPoint]) {
    for (const address of [account.address, implementation]) {
      const call = read.simulateContract({
        address,
        abi,
        functionName: 'initialize',
        args: [stranger.address],
        account: caller,
      })
      expect((await revertOf(call)).name).toBe('InvalidInitialization')
    }
  }
})

test('behavior: ownership goes on, directly and by way of execute', async () => {
  const { account, address, by, read, owner, stranger } = await setUp()
  const transfer = (to: Address) => encodeFunctionData({ abi, functionName: 'transferOwnership', args: [to] })
  const { blockNumber } = await by.transact({ to: address, data: transfer(stranger.address) })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(stranger.address)
  const [event] = await read.getContractEvents({
    ...account,
    eventName: 'OwnershipTransferred',
    fromBlock: blockNumber,
  })
  expect(event?.args).toEqual({ previousOwner: owner.address, newOwner: stranger.address })

  const former = read.simulateContract({
    ...account,
    functionName: 'execute',
    args: [demo, 0n, '0x'],
    account: owner.address,
  })
  expect(await revertOf(former)).toEqual({ name: 'NotAuthorized', args: [owner.address] })

  const back = encodeFunctionData({ abi, functionName: 'execute', args: [address, 0n, transfer(owner.address)] })
  await chain.clientOf(stranger.privateKey).transact({ to: address, data: back })
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)
})

test('error: owners that cannot be', async () => {
  const { account, address, owner, read } = await setUp()
  for (const newOwner of [zeroAddress, address, owner.address]) {
    const call = read.simulateContract({
      ...account,
      functionName: 'transferOwnership',
      args: [newOwner],
      account: owner.address,
    })
    expect(await revertOf(call)).toEqual({ name: 'InvalidOwner', args: [newOwner] })
  }
})

test('behavior: deposit put in, read, and taken out by the owner', async () => {
  const { account, address, by, read, stranger } = await setUp()
  const putIn = { to: address, value: 5n, data: encodeFunctionData({ abi, functionName: 'addDeposit' }) }
  await chain.clientOf(stranger.privateKey).transact(putIn)
  expect(await read.readContract({ ...account, functionName: 'getDeposit' })).toBe(5n)
  const target = toHex(BigInt(stranger.address) ^ 1n, { size: 20 })
  const args = [target, 3n] as const
  await by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'withdrawDepositTo', args }) })
  expect(await read.readContract({ ...account, functionName: 'getDeposit' })).toBe(2n)
  expect(await read.getBalance({ address: target })).toBe(3n)

  const nowhere = read.simulateContract({
    ...account,
    functionName: 'withdrawDepositTo',
    args: [zeroAddress, 1n],
    account: by.account,
  })
  expect((await revertOf(nowhere)).name).toBe('ZeroAddressNotAllowed')
})

/** A second copy of the implementation, whose code an account may go to. */
async function deployCopy(): Promise<Address> {
  const { bytecode } = readArtifact('LightAccountV2')
  const { privateKey } = await chain.freshAccount()
  const data = encodeDeployData({ abi, bytecode, args: [entryPoint] })
  const raw = await privateKeyToAccount(privateKey).signTransaction({
    chainId: chain.chainId,
    data,
    gas: 10_000_000n,
    gasPrice: 10_000_000_000n,
    nonce: 0,
  })
  const { read } = chain.client(1)
  const hash = await read.sendRawTransaction({ serializedTransaction: raw })
  const { contractAddress } = await read.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('not deployed')
  return contractAddress
}

test('behavior: the owner upgrades, the account keeps owner and balance, and may call on the way', async () => {
  const { account, address, by, read, owner, stranger } = await setUp()
  const copy = await deployCopy()
  const first = encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [copy, '0x'] })
  await by.transact({ to: address, data: first })
  expect(BigInt((await read.getStorageAt({ address, slot: implementationSlot })) ?? 0)).toBe(BigInt(copy))
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(owner.address)

  const then = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [stranger.address] })
  const upgrade = encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [implementation, then] })
  const { blockNumber } = await by.transact({ to: address, data: upgrade })
  expect(BigInt((await read.getStorageAt({ address, slot: implementationSlot })) ?? 0)).toBe(BigInt(implementation))
  expect(await read.readContract({ ...account, functionName: 'owner' })).toBe(stranger.address)
  expect(await read.getContractEvents({ ...account, eventName: 'Upgraded', fromBlock: blockNumber })).toHaveLength(1)
})

test('error: upgrades that would lose the account, or the code of every account', async () => {
  const { address, owner, read } = await setUp()
  const copy = await deployCopy()
  const upgrade = (target: Address, to: Address) => {
    const args = [to, '0x'] as const
    const account = owner.address
    return revertOf(read.simulateContract({ address: target, abi, functionName: 'upgradeToAndCall', args, account }))
  }
  // No code, other code, a proxy, a contract that answers another slot, a key's zeros.
  const liar = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [liar, '0x600160005260206000f3'])
  for (const target of [owner.address, demo, address, liar, zeroAddress])
    expect((await upgrade(address, target)).name).toBe('UpgradeFailed')
  expect((await upgrade(implementation, copy)).name).toBe('UnauthorizedCallContext')
  const direct = read.readContract({ address, abi, functionName: 'proxiableUUID' })
  expect((await revertOf(direct)).name).toBe('UnauthorizedCallContext')
  expect(await read.readContract({ address: implementation, abi, functionName: 'proxiableUUID' })).toBe(
    implementationSlot,
  )
})

test('error: an upgrade whose call fails changes nothing', async () => {
  const { address, owner, read } = await setUp()
  const copy = await deployCopy()
  const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: [demo] })
  const call = read.simulateContract({
    address,
    abi,
    functionName: 'upgradeToAndCall',
    args: [copy, initialize],
    account: owner.address,
  })
  expect((await revertOf(call)).name).toBe('InvalidInitialization')
})

test('behavior: validateUserOp pays what is missing to the entry point', async () => {
  const { address, owner } = await setUp()
  const hash = keccak256(toHex('operation'))
  const data = encodeFunctionData({
    abi,
    functionName: 'validateUserOp',
    args: [emptyOperation07(address, byKey(await owner.signMessage({ message: { raw: hash } }))), hash, 9n],
  })
  const { read } = chain.client(1)
  const before = await read.getBalance({ address: entryPoint })
  await chain.request('anvil_impersonateAccount', [entryPoint])
  await chain.request('anvil_setBalance', [entryPoint, toHex(before + parseEther('1'))])
  const sent = await chain.request<Hex>('eth_sendTransaction', [
    { from: entryPoint, to: address, data, gas: '0x30d40' },
  ])
  expect((await read.waitForTransactionReceipt({ hash: sent })).status).toBe('success')
  await chain.request('anvil_stopImpersonatingAccount', [entryPoint])
  expect(await read.getBalance({ address })).toBe(parseEther('10') - 9n)
})

test('behavior: takes tokens of every kind and says so', async () => {
  const { account, read } = await setUp()
  const a = demo
  const call = <T>(result: Promise<T>) => result
  expect(await call(read.readContract({ ...account, functionName: 'onERC721Received', args: [a, a, 1n, '0x'] }))).toBe(
    '0x150b7a02',
  )
  expect(
    await call(read.readContract({ ...account, functionName: 'onERC1155Received', args: [a, a, 1n, 1n, '0x'] })),
  ).toBe('0xf23a6e61')
  expect(
    await call(
      read.readContract({ ...account, functionName: 'onERC1155BatchReceived', args: [a, a, [1n], [1n], '0x'] }),
    ),
  ).toBe('0xbc197c81')
  const supports = (id: Hex) => read.readContract({ ...account, functionName: 'supportsInterface', args: [id] })
  expect(await Promise.all(['0x01ffc9a7', '0x150b7a02', '0x4e2312e0'].map((id) => supports(id as Hex)))).toEqual([
    true,
    true,
    true,
  ])
  expect(await supports('0xffffffff')).toBe(false)
})
