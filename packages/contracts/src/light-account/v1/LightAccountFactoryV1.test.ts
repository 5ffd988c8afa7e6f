import {
  type Address,
  BaseError,
  concat,
  decodeErrorResult,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  isHex,
  keccak256,
  parseAbi,
  RawContractError,
  toHex,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lightAccountFactoryV1Abi as abi, lightAccountV1Abi } from '../../../../../test/contracts/lightAccountV1Abi.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { shapeOf } from '../../../../../test/contracts/shapeOf.ts'
import { readArtifact, startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { factory, implementation } = devAddresses.lightAccount['v1.1.0']
const entryPoint = devAddresses.entryPoints['0.6.0']
const entryPointAbi = parseAbi([
  'function getSenderAddress(bytes initCode)',
  'error SenderAddressResult(address sender)',
])
/** Addresses the accounts of this owner have on public chains. */
const vectors = {
  owner: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  addresses: ['0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6', '0xBDB872C4FBe1c911980e36a5228914B4B51BF7ec'],
} as const

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

const contract = { address: factory, abi } as const
const addressOf = (owner: Address, salt: bigint) =>
  chain.client(1).read.readContract({ ...contract, functionName: 'getAddress', args: [owner, salt] })
const create = (owner: Address, salt: bigint) => ({
  to: factory,
  data: encodeFunctionData({ abi, functionName: 'createAccount', args: [owner, salt] }),
})

/** What the entry point says of an init code: it always reverts, the answer being in the error. */
async function senderOf(owner: Address, salt: bigint): Promise<Address> {
  const initCode = concat([factory, create(owner, salt).data])
  const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'getSenderAddress', args: [initCode] })
  const failure = await chain
    .client(1)
    .read.call({ to: entryPoint, data })
    .catch((error: unknown) => error)
  const revert = failure instanceof BaseError ? failure.walk((error) => dataOf(error) !== undefined) : undefined
  return decodeErrorResult({ abi: entryPointAbi, data: dataOf(revert) ?? '0x' }).args[0]
}

function dataOf(error: unknown): Hex | undefined {
  const data = error instanceof RawContractError || (error instanceof Error && 'data' in error) ? error.data : undefined
  return isHex(data) ? data : undefined
}

test('default', async () => {
  for (const [salt, address] of vectors.addresses.entries()) {
    expect(await addressOf(vectors.owner, BigInt(salt))).toBe(address)
    expect(await senderOf(vectors.owner, BigInt(salt))).toBe(address)
  }
})

test('behavior: the ABI is the published one', () => {
  const { abi: built } = readArtifact('LightAccountFactoryV1_1_0')
  expect(shapeOf(built)).toEqual(shapeOf(abi))
})

test('behavior: the implementation is the first contract of the factory, at its public address', async () => {
  const { read } = chain.client(1)
  expect(await read.readContract({ ...contract, functionName: 'accountImplementation' })).toBe(implementation)
  expect(getContractAddress({ from: factory, nonce: 1n })).toBe(implementation)
  expect(await read.getTransactionCount({ address: factory })).toBe(2)
  const caller = { address: implementation, abi: lightAccountV1Abi } as const
  expect(await read.readContract({ ...caller, functionName: 'entryPoint' })).toBe(entryPoint)
  expect(await read.readContract({ ...caller, functionName: 'owner' })).toBe(zeroAddress)
})

test('behavior: agrees with the formula for any owner and salt (EIP-1014)', async () => {
  const proxy = await proxyCode()
  // That of the factories of public chains.
  expect(keccak256(proxy)).toBe('0xf57191d01c049e000c99cddfe85e2ac17d564f548cf6c2a4134b5f560250bfac')
  const seed = Math.floor(Math.random() * 2 ** 32)
  console.log(`seed ${seed}`)
  let state = BigInt(seed)
  const next = (bytes: number): Hex => {
    let word = 0n
    for (let i = 0; i < bytes; i += 4) {
      state = (state * 1664525n + 1013904223n) & 0xffffffffn
      word = (word << 32n) | state
    }
    return toHex(word, { size: bytes })
  }
  for (let i = 0; i < 20; i++) {
    const owner = next(20)
    const salt = next(32)
    const initialize = encodeFunctionData({ abi: lightAccountV1Abi, functionName: 'initialize', args: [owner] })
    const parameters = [{ type: 'address' }, { type: 'bytes' }] as const
    const bytecode = concat([proxy, encodeAbiParameters(parameters, [implementation, initialize])])
    const expected = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode })
    expect(await addressOf(owner, BigInt(salt))).toBe(expected)
  }
})

/** The proxy's creation code, out of the factory's own. */
async function proxyCode(): Promise<Hex> {
  const code = (await chain.client(1).read.getCode({ address: factory })) ?? '0x'
  const start = code.indexOf('60406080815261042c9081380380')
  return `0x${code.slice(start, start + 2 * 1068)}`
}

test('behavior: deploys where it said, and answers the same account ever after', async () => {
  const { address: owner } = await chain.freshAccount()
  const by = chain.client(2)
  const address = await addressOf(owner, 7n)
  expect(await by.read.getCode({ address })).toBeUndefined()
  const first = await by.read.simulateContract({ ...contract, functionName: 'createAccount', args: [owner, 7n] })
  expect(first.result).toBe(address)
  await by.transact(create(owner, 7n))
  expect(await by.read.readContract({ address, abi: lightAccountV1Abi, functionName: 'owner' })).toBe(owner)

  const nonce = await by.read.getTransactionCount({ address: factory })
  const again = await by.read.simulateContract({ ...contract, functionName: 'createAccount', args: [owner, 7n] })
  expect(again.result).toBe(address)
  await by.transact(create(owner, 7n))
  expect(await by.read.getTransactionCount({ address: factory })).toBe(nonce)
  expect(await addressOf(owner, 7n)).toBe(address)
  expect(await senderOf(owner, 7n)).toBe(address)
})

test('behavior: whoever deploys an account, it is its owner’s alone', async () => {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.clientOf(stranger.privateKey)
  const address = await addressOf(owner.address, 0n)
  await by.transact(create(owner.address, 0n))
  const call = by.read.simulateContract({
    address,
    abi: lightAccountV1Abi,
    functionName: 'execute',
    args: [stranger.address, 0n, '0x'],
    account: stranger.address,
  })
  expect(await revertOf(call)).toEqual({ name: 'NotAuthorized', args: [stranger.address] })
})

test('error: an account of nobody', async () => {
  const call = chain.client(1).read.simulateContract({
    address: factory,
    abi: [...abi, ...lightAccountV1Abi.filter(({ type }) => type === 'error')],
    functionName: 'createAccount',
    args: [zeroAddress, 0n],
  })
  expect(await revertOf(call)).toEqual({ name: 'InvalidOwner', args: [zeroAddress] })
})
