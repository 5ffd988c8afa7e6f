import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  toHex,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lightAccountFactoryV2Abi as abi, lightAccountV2Abi } from '../../../../../test/contracts/lightAccountV2Abi.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { shapeOf } from '../../../../../test/contracts/shapeOf.ts'
import { readArtifact, startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { factory, implementation } = devAddresses.lightAccount['v2.0.0']
const entryPoint = devAddresses.entryPoints['0.7.0']
const { demo } = devAddresses
/** The proxy's creation code, around the implementation; its hash on public chains. */
const proxy = [
  '0x603d3d8160223d3973',
  '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
] as const
const proxyHash = '0xb30cd6f012db015079ac967b74383df52ee337c57510baaca7e6b98aecb686af'
/** Addresses the accounts of this owner have on public chains. */
const vectors = {
  owner: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  addresses: ['0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9', '0xf35aBA8E15C6C28aE0b52894767f771df18E9556'],
} as const

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

const contract = { address: factory, abi } as const
const keeper = devAccountOf.paymasterOwner
const byKeeper = () => chain.clientOf(keeper.privateKey)
const addressOf = (owner: Address, salt: bigint) =>
  chain.client(1).read.readContract({ ...contract, functionName: 'getAddress', args: [owner, salt] })
const create = (owner: Address, salt: bigint) => ({
  to: factory,
  data: encodeFunctionData({ abi, functionName: 'createAccount', args: [owner, salt] }),
})

test('default', async () => {
  for (const [salt, address] of vectors.addresses.entries())
    expect(await addressOf(vectors.owner, BigInt(salt))).toBe(address)
})

test('behavior: the ABI is the published one', () => {
  expect(shapeOf(readArtifact('LightAccountFactoryV2').abi)).toEqual(shapeOf(abi))
})

test('behavior: the implementation is the first contract of the factory, at its public address', async () => {
  const { read } = chain.client(1)
  expect(await read.readContract({ ...contract, functionName: 'ACCOUNT_IMPLEMENTATION' })).toBe(implementation)
  expect(await read.readContract({ ...contract, functionName: 'ENTRY_POINT' })).toBe(entryPoint)
  expect(getContractAddress({ from: factory, nonce: 1n })).toBe(implementation)
  const caller = { address: implementation, abi: lightAccountV2Abi } as const
  expect(await read.readContract({ ...caller, functionName: 'entryPoint' })).toBe(entryPoint)
  expect(await read.readContract({ ...caller, functionName: 'owner' })).toBe(zeroAddress)
})

test('behavior: agrees with the formula for any owner and salt (EIP-1014)', async () => {
  const bytecode = concat([proxy[0], implementation, proxy[1]])
  expect(keccak256(bytecode)).toBe(proxyHash)
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.log(`seed ${seed}`)
  const next = (index: number, size: number): Hex => keccak256(toHex(`${seed} ${index}`)).slice(0, 2 + 2 * size) as Hex
  for (let i = 0; i < 20; i++) {
    const owner = next(2 * i, 20)
    const given = BigInt(next(2 * i + 1, 32))
    const salt = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [owner, given]))
    const expected = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode })
    expect(await addressOf(owner, given)).toBe(expected)
  }
})

test('behavior: deploys where it said, and answers the same account ever after', async () => {
  const { address: owner } = await chain.freshAccount()
  const by = chain.client(2)
  const address = await addressOf(owner, 7n)
  expect(await by.read.getCode({ address })).toBeUndefined()
  const first = await by.read.simulateContract({ ...contract, functionName: 'createAccount', args: [owner, 7n] })
  expect(first.result).toBe(address)
  await by.transact(create(owner, 7n))
  expect(await by.read.readContract({ address, abi: lightAccountV2Abi, functionName: 'owner' })).toBe(owner)
  expect(await by.read.getCode({ address })).toBe(`0x${proxy[1].slice(12)}`)

  const nonce = await by.read.getTransactionCount({ address: factory })
  const again = await by.read.simulateContract({ ...contract, functionName: 'createAccount', args: [owner, 7n] })
  expect(again.result).toBe(address)
  await by.transact(create(owner, 7n))
  expect(await by.read.getTransactionCount({ address: factory })).toBe(nonce)
})

test('behavior: whoever deploys an account, it is its owner’s alone', async () => {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.clientOf(stranger.privateKey)
  const address = await addressOf(owner.address, 0n)
  await by.transact(create(owner.address, 0n))
  const target = { address, abi: lightAccountV2Abi } as const
  for (const caller of [stranger.address, factory, keeper.address]) {
    const args = [caller, 0n, '0x'] as const
    const call = by.read.simulateContract({ ...target, functionName: 'execute', args, account: caller })
    expect(await revertOf(call)).toEqual({ name: 'NotAuthorized', args: [caller] })
  }
})

test('error: an account of nobody', async () => {
  const call = chain.client(1).read.simulateContract({
    address: factory,
    abi: [...abi, ...lightAccountV2Abi.filter(({ type }) => type === 'error')],
    functionName: 'createAccount',
    args: [zeroAddress, 0n],
  })
  expect(await revertOf(call)).toEqual({ name: 'InvalidOwner', args: [zeroAddress] })
})

test('error: a factory for nobody, or for what is no entry point 0.7', async () => {
  const { bytecode } = readArtifact('LightAccountFactoryV2')
  const { read } = chain.client(1)
  const errorOf = async (owner: Address, point: Address) => {
    const data = encodeDeployData({ abi, bytecode, args: [owner, point] })
    const failure = await read.call({ data }).catch((error: Error) => error)
    return String(failure)
  }
  expect(await errorOf(zeroAddress, entryPoint)).toContain(
    keccak256(toHex('OwnableInvalidOwner(address)')).slice(0, 10),
  )
  const invalid = keccak256(toHex('InvalidEntryPoint(address)')).slice(0, 10)
  for (const point of [zeroAddress, keeper.address, demo, devAddresses.entryPoints['0.6.0']])
    expect(await errorOf(keeper.address, point)).toContain(invalid)
})

test('behavior: the owner stakes, and takes the stake out after the delay', async () => {
  const by = byKeeper()
  const send = (data: Hex, value = 0n) => by.transact({ to: factory, data, value })
  const infoAbi = parseAbi([
    'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
    'function getDepositInfo(address account) view returns (DepositInfo info)',
  ])
  const info = () =>
    by.read.readContract({ address: entryPoint, abi: infoAbi, functionName: 'getDepositInfo', args: [factory] })
  const stake = encodeFunctionData({ abi, functionName: 'addStake', args: [60, parseEther('2')] })
  await send(stake, parseEther('2'))
  expect(await info()).toMatchObject({ staked: true, stake: parseEther('2'), unstakeDelaySec: 60 })
  await send(encodeFunctionData({ abi, functionName: 'unlockStake' }))
  await chain.request('evm_increaseTime', [61])
  await chain.request('evm_mine')
  const target = toHex(BigInt((await chain.freshAccount()).address) ^ 1n, { size: 20 })
  await send(encodeFunctionData({ abi, functionName: 'withdrawStake', args: [target] }))
  expect(await info()).toMatchObject({ staked: false, stake: 0n })
  expect(await by.read.getBalance({ address: target })).toBe(parseEther('2'))
})

test('behavior: the owner takes out ether and tokens that came here', async () => {
  const by = byKeeper()
  const target = toHex(BigInt((await chain.freshAccount()).address) ^ 1n, { size: 20 })
  const demoAbi = parseAbi([
    'function mint(address to, uint256 value)',
    'function balanceOf(address) view returns (uint256)',
  ])
  await by.transact({ to: factory, value: 5n })
  await by.transact({
    to: demo,
    data: encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [factory, 7n] }),
  })
  for (const [token, amount] of [
    [zeroAddress, 5n],
    [demo, 7n],
  ] as const) {
    const args = [target, token, amount] as const
    await by.transact({ to: factory, data: encodeFunctionData({ abi, functionName: 'withdraw', args }) })
  }
  expect(await by.read.getBalance({ address: target })).toBe(5n)
  const balance = { address: demo, abi: demoAbi, functionName: 'balanceOf', args: [target] } as const
  expect(await by.read.readContract(balance)).toBe(7n)
})

test('error: withdrawals to nobody, of more than there is, of tokens that are none or refuse', async () => {
  const { read } = chain.client(1)
  const codes: Hex[] = [
    // Answers 0, answers one byte, reverts with nothing.
    '0x60206000f3',
    '0x60016000f3',
    '0x60006000fd',
  ]
  const [no, short, reverting] = await Promise.all(
    codes.map(async (code) => {
      const { address } = await chain.freshAccount()
      await chain.request('anvil_setCode', [address, code])
      return address
    }),
  )
  const withdraw = (to: Address, token: Address, amount: bigint) => {
    const args = [to, token, amount] as const
    return revertOf(read.simulateContract({ ...contract, functionName: 'withdraw', args, account: keeper.address }))
  }
  const nobody = (await chain.freshAccount()).address
  expect((await withdraw(zeroAddress, zeroAddress, 0n)).name).toBe('ZeroAddressNotAllowed')
  expect((await withdraw(keeper.address, zeroAddress, parseEther('1000'))).name).toBe('TransferFailed')
  expect(await withdraw(keeper.address, nobody, 1n)).toEqual({ name: 'AddressEmptyCode', args: [nobody] })
  expect(await withdraw(keeper.address, no ?? '0x', 1n)).toEqual({ name: 'SafeERC20FailedOperation', args: [no] })
  expect(await withdraw(keeper.address, short ?? '0x', 1n)).toEqual({ name: 'SafeERC20FailedOperation', args: [short] })
  expect((await withdraw(keeper.address, reverting ?? '0x', 1n)).name).toBe('FailedInnerCall')
  const stake = { ...contract, functionName: 'withdrawStake', args: [zeroAddress], account: keeper.address } as const
  expect((await revertOf(read.simulateContract(stake))).name).toBe('ZeroAddressNotAllowed')
})

test('error: a stranger may do none of what is the owner’s', async () => {
  const { address } = await chain.freshAccount()
  const { read } = chain.client(1)
  const caller = { ...contract, account: address } as const
  const calls = [
    read.simulateContract({ ...caller, functionName: 'addStake', args: [1, 0n] }),
    read.simulateContract({ ...caller, functionName: 'unlockStake' }),
    read.simulateContract({ ...caller, functionName: 'withdrawStake', args: [address] }),
    read.simulateContract({ ...caller, functionName: 'withdraw', args: [address, zeroAddress, 0n] }),
    read.simulateContract({ ...caller, functionName: 'transferOwnership', args: [address] }),
    read.simulateContract({ ...caller, functionName: 'acceptOwnership' }),
    read.readContract({ ...caller, functionName: 'renounceOwnership' }),
  ]
  for (const revert of await Promise.all(calls.map(revertOf)))
    expect(revert).toEqual({ name: 'OwnableUnauthorizedAccount', args: [address] })
})

test('behavior: ownership goes on in two steps, and cannot be given up', async () => {
  const next = await chain.freshAccount()
  const by = byKeeper()
  const { read } = by
  const owner = () => read.readContract({ ...contract, functionName: 'owner' })
  const pending = () => read.readContract({ ...contract, functionName: 'pendingOwner' })
  const offer = (to: Address) => encodeFunctionData({ abi, functionName: 'transferOwnership', args: [to] })
  await by.transact({ to: factory, data: offer(next.address) })
  expect([await owner(), await pending()]).toEqual([keeper.address, next.address])
  const accept = encodeFunctionData({ abi, functionName: 'acceptOwnership' })
  await chain.clientOf(next.privateKey).transact({ to: factory, data: accept })
  expect([await owner(), await pending()]).toEqual([next.address, zeroAddress])

  const give = read.readContract({ ...contract, functionName: 'renounceOwnership', account: next.address })
  expect((await revertOf(give)).name).toBe('InvalidAction')
  await chain.clientOf(next.privateKey).transact({ to: factory, data: offer(keeper.address) })
  await by.transact({ to: factory, data: accept })
  expect(await owner()).toBe(keeper.address)
})
