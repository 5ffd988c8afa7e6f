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

each('starts with its owner, entry point and implementation ($name)', async (version) => {
  const it = await setUp(version)
  expect(await ownersOf(it)).toEqual([it.owner.address])
  expect(await it.read.readContract({ ...it.account, functionName: 'entryPoint' })).toBe(version.entryPoint)
  expect(await it.read.readContract({ ...it.account, functionName: 'getNonce' })).toBe(0n)
  expect(await readImplementation(it)).toBe(BigInt(version.implementation))
})

each('has the published ABI ($name)', ({ name, abi }) => {
  expect(describeAbi(readArtifact(name).abi)).toEqual(describeAbi(abi))
})

each('emits its creation ($name)', async (version) => {
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
    // The proxy of v1 emits this itself.
    ...(version.entryPointVersion === '0.6' ? [{ eventName: 'Upgraded', args: { implementation } }] : []),
    {
      eventName: 'LightAccountInitialized',
      args: { entryPoint, ...(family === 'LightAccount' ? { owner } : { owners: [owner] }) },
    },
    family === 'LightAccount' ? single : multi,
    { eventName: 'Initialized', args: { version: 1n } },
  ])
})

each('executes single calls and batches for the owner and the entry point ($name)', async (version) => {
  const { account, address, by, read } = await setUp(version)
  const mint = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [address, 5n] })
  const encode = (functionName: string, ...args: unknown[]) =>
    encodeFunctionData({ abi: version.abi, functionName, args })
  const target = (await chain.freshAccount()).address
  const three = encode('executeBatch', [demo, target], [0n, 7n], [mint, '0x'])
  expect(three.slice(0, 10)).toBe('0x47e1da2a')
  for (const data of [encode('execute', demo, 0n, mint), encode('executeBatch', [demo, demo], [mint, mint]), three])
    await by.transact({ to: address, data })
  expect(await read.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })).toBe(20n)
  expect(await read.getBalance({ address: target })).toBe(parseEther('100') + 7n)
  const call = { ...account, functionName: 'execute', args: [demo, 0n, mint], account: version.entryPoint }
  await read.simulateContract(call)
})

each('passes on the revert of a failing call and undoes its batch ($name)', async (version) => {
  const it = await setUp(version)
  const { address, owner, read } = it
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [owner.address, 1n] })
  const abi: Abi = [...version.abi, ...demoAbi]
  const targets = [owner.address, demo]
  const calls = { execute: [demo, 0n, data], executeBatch: [targets, [1n, 0n], ['0x', data]] }
  for (const [functionName, args] of Object.entries(calls)) {
    const call = { address, abi, functionName, args, account: owner.address }
    const refusal = { name: 'InsufficientBalance', args: [address, 0n, 1n] }
    expect(await readRevert(read.simulateContract(call))).toEqual(refusal)
  }
  expect(await ownersOf(it)).toEqual([owner.address])
})

each('refuses batches of unequal lengths ($name)', async (version) => {
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

each('lets the owner withdraw a deposit ($name)', async (version) => {
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

each('pays the missing prefund in validateUserOp ($name)', async (version) => {
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

each('accepts tokens of every kind and declares their interfaces ($name)', async (version) => {
  const { account, read } = await setUp(version)
  const ask = (functionName: string, ...args: unknown[]) => read.readContract({ ...account, functionName, args })
  expect(await ask('onERC721Received', demo, demo, 1n, '0x')).toBe('0x150b7a02')
  expect(await ask('onERC1155Received', demo, demo, 1n, 1n, '0x')).toBe('0xf23a6e61')
  expect(await ask('onERC1155BatchReceived', demo, demo, [1n], [1n], '0x')).toBe('0xbc197c81')
  const interfaces = ['0x01ffc9a7', '0x150b7a02', '0x4e2312e0', '0xffffffff']
  expect(await Promise.all(interfaces.map((id) => ask('supportsInterface', id)))).toEqual([true, true, true, false])
})
