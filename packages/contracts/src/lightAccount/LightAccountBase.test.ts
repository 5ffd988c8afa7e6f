import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { describeAbi } from '@latchkey/testkit/contracts/describeAbi'
import {
  createLightAccount,
  createOperation,
  type LightAccountVersion,
  lightAccountVersions,
  ownersOf,
  readImplementation,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { type Abi, type Address, encodeFunctionData, type Hex, keccak256, parseEther, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const each = test.each(lightAccountVersions)

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const setUp = (version: LightAccountVersion) => createLightAccount(chain, version)

each('default ($name)', async (version) => {
  const it = await setUp(version)
  expect(await ownersOf(it)).toEqual([it.owner.address])
  expect(await it.read.readContract({ ...it.account, functionName: 'entryPoint' })).toBe(version.entryPoint)
  expect(await it.read.readContract({ ...it.account, functionName: 'getNonce' })).toBe(0n)
  expect(await readImplementation(it)).toBe(BigInt(version.implementation))
})

each('behavior: the ABI is the published one ($name)', ({ name, abi }) => {
  expect(describeAbi(readArtifact(name).abi)).toEqual(describeAbi(abi))
})

each('behavior: creation announces itself ($name)', async (version) => {
  const { abi, factory, entryPoint, family, implementation, owned } = version
  const owner = (await chain.freshAccount()).address
  const client = chain.client(1)
  const args = [owned(owner), 0n]
  const address = (await client.read.readContract({ ...factory, functionName: 'getAddress', args })) as Address
  const { blockNumber } = await client.transact({
    to: factory.address,
    data: encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args }),
  })
  const events = await client.read.getContractEvents({ address, abi, fromBlock: blockNumber, toBlock: blockNumber })
  const single = { eventName: 'OwnershipTransferred', args: { previousOwner: zeroAddress, newOwner: owner } }
  const multi = { eventName: 'OwnersUpdated', args: { addedOwners: [owner], removedOwners: [] } }
  expect(events.map(({ eventName, args }) => ({ eventName, args }))).toEqual([
    // The proxy of v1 says so itself.
    ...(version.entryPointVersion === '0.6' ? [{ eventName: 'Upgraded', args: { implementation } }] : []),
    {
      eventName: 'LightAccountInitialized',
      args: { entryPoint, ...(family === 'LightAccount' ? { owner } : { owners: [owner] }) },
    },
    family === 'LightAccount' ? single : multi,
    { eventName: 'Initialized', args: { version: 1n } },
  ])
})

each('behavior: owner and entry point execute, also many calls at once ($name)', async (version) => {
  const { abi, entryPoint } = version
  const { account, address, by, read } = await setUp(version)
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

each('error: a failing call passes its own revert on, and one of a batch undoes all ($name)', async (version) => {
  const { abi } = version
  const it = await setUp(version)
  const { address, owner, read } = it
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [owner.address, 1n] })
  const withDemo: { address: Address; abi: Abi } = { address, abi: [...abi, ...demoAbi] }
  const one = read.simulateContract({
    ...withDemo,
    functionName: 'execute',
    args: [demo, 0n, data],
    account: owner.address,
  })
  expect(await readRevert(one)).toEqual({ name: 'InsufficientBalance', args: [address, 0n, 1n] })
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
  expect(await readRevert(two)).toEqual({ name: 'InsufficientBalance', args: [address, 0n, 1n] })
  expect(await ownersOf(it)).toEqual([owner.address])
})

each('error: batches of unequal lengths ($name)', async (version) => {
  const { account, owner, read } = await setUp(version)
  const common = { ...account, functionName: 'executeBatch', account: owner.address } as const
  const calls = [
    read.simulateContract({ ...common, args: [[demo], []] }),
    read.simulateContract({ ...common, args: [[], ['0x']] }),
    read.simulateContract({ ...common, args: [[demo], [], ['0x']] }),
    read.simulateContract({ ...common, args: [[demo], [0n], []] }),
    read.simulateContract({ ...common, args: [[demo], [0n, 0n], ['0x']] }),
  ]
  for (const { name } of await Promise.all(calls.map(readRevert))) expect(name).toBe('ArrayLengthMismatch')
})

each('behavior: deposit put in, read, and taken out by the owner ($name)', async (version) => {
  const { abi } = version
  const { account, address, by, read, stranger } = await setUp(version)
  const putIn = { to: address, value: 5n, data: encodeFunctionData({ abi, functionName: 'addDeposit' }) }
  await chain.connect(stranger.privateKey).transact(putIn)
  expect(await read.readContract({ ...account, functionName: 'getDeposit' })).toBe(5n)
  const target = toHex(BigInt(stranger.address) ^ 1n, { size: 20 })
  const args = [target, 3n] as const
  await by.transact({ to: address, data: encodeFunctionData({ abi, functionName: 'withdrawDepositTo', args }) })
  expect(await read.readContract({ ...account, functionName: 'getDeposit' })).toBe(2n)
  expect(await read.getBalance({ address: target })).toBe(3n)
})

each('behavior: validateUserOp pays what is missing to the entry point ($name)', async (version) => {
  const { abi, entryPoint } = version
  const it = await setUp(version)
  const { address, owner } = it
  const hash = keccak256(toHex('operation'))
  const signature = version.byKey(await owner.signMessage({ message: { raw: hash } }))
  const data = encodeFunctionData({
    abi,
    functionName: 'validateUserOp',
    args: [createOperation(it, signature), hash, 9n],
  })
  const { read } = chain.client(1)
  const before = await read.getBalance({ address: entryPoint })
  await chain.request('anvil_impersonateAccount', [entryPoint])
  await chain.request('anvil_setBalance', [entryPoint, toHex(before + parseEther('1'))])
  const sent = await chain.request<Hex>('eth_sendTransaction', [
    { from: entryPoint, to: address, data, gas: '0x30d40' },
  ])
  expect((await waitForTransaction(read, sent)).status).toBe('success')
  await chain.request('anvil_stopImpersonatingAccount', [entryPoint])
  expect(await read.getBalance({ address })).toBe(parseEther('10') - 9n)
})

each('behavior: takes tokens of every kind and says so ($name)', async (version) => {
  const { account, read } = await setUp(version)
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
