import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { anyAddress } from '@latchkey/testkit/contracts/arbitraryArguments'
import { changingFunctions } from '@latchkey/testkit/contracts/callAs'
import { describeAbi } from '@latchkey/testkit/contracts/describeAbi'
import { type LightAccountVersion, lightAccountVersions } from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import fc from 'fast-check'
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
import { expect } from 'vitest'
import { devAccountOf, devAccounts } from '../../../dev/src/chain/devAccounts.ts'
import { proxyCreationCode } from '../../../latchkey/src/accounts/lightAccount/v1.ts'

const each = test.each(lightAccountVersions)
const entryPointAbi = parseAbi([
  'function getSenderAddress(bytes initCode)',
  'error SenderAddressResult(address sender)',
])
/** The creation code of the minimal proxy around the implementation, and its public hash. */
const minimalProxy = [
  '0x603d3d8160223d3973',
  '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
] as const
const minimalHashes: Record<string, Hex> = {
  LightAccountV2: '0xb30cd6f012db015079ac967b74383df52ee337c57510baaca7e6b98aecb686af',
  MultiOwnerLightAccount: '0x43a471cd7be8a373e034a91524634d7f89c2637c3662f4fd77db533e1ad43276',
}

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

async function addressOf({ factory, owned }: LightAccountVersion, owner: Address, salt: bigint): Promise<Address> {
  const call = { ...factory, functionName: 'getAddress', args: [owned(owner), salt] }
  return (await chain.client(1).read.readContract(call)) as Address
}

const create = ({ factory, owned }: LightAccountVersion, owner: Address, salt: bigint) => ({
  to: factory.address,
  data: encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args: [owned(owner), salt] }),
})

/** Returns the sender of an init code, which the entry point reports by a revert. */
async function senderOf(version: LightAccountVersion, owner: Address, salt: bigint): Promise<Address> {
  const initCode = concat([version.factory.address, create(version, owner, salt).data])
  const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'getSenderAddress', args: [initCode] })
  const { read } = chain.client(1)
  const failure = await read.call({ to: version.entryPoint, data }).catch((error: unknown) => error)
  const revert = failure instanceof BaseError ? failure.walk((error) => dataOf(error) !== undefined) : undefined
  return decodeErrorResult({ abi: entryPointAbi, data: dataOf(revert) ?? '0x' }).args[0]
}

function dataOf(error: unknown): Hex | undefined {
  const data = error instanceof RawContractError || (error instanceof Error && 'data' in error) ? error.data : undefined
  return isHex(data) ? data : undefined
}

each('returns the public addresses ($name)', async (version) => {
  const [{ address: owner }] = devAccounts
  for (const [salt, address] of version.addresses.entries()) {
    expect(await addressOf(version, owner, BigInt(salt))).toBe(address)
    expect(await senderOf(version, owner, BigInt(salt))).toBe(address)
  }
})

each('has the published ABI ($name)', ({ factory }) => {
  expect(describeAbi(readArtifact(factory.name).abi)).toEqual(describeAbi(factory.abi))
})

test('v1 factories change nothing but by creating accounts', () => {
  for (const { factory, entryPointVersion } of lightAccountVersions) {
    if (entryPointVersion !== '0.6') continue
    const changing = changingFunctions(factory.abi).map(({ signature }) => signature)
    expect(changing, factory.name).toEqual(['createAccount(address,uint256)'])
  }
})

each('deploys the implementation first, at its public address ($name)', async (version) => {
  const { abi, entryPoint, entryPointVersion, factory, implementation } = version
  const { read } = chain.client(1)
  const functionName = entryPointVersion === '0.6' ? 'accountImplementation' : 'ACCOUNT_IMPLEMENTATION'
  expect(await read.readContract({ ...factory, functionName })).toBe(implementation)
  if (entryPointVersion === '0.7')
    expect(await read.readContract({ ...factory, functionName: 'ENTRY_POINT' })).toBe(entryPoint)
  expect(getContractAddress({ from: factory.address, nonce: 1n })).toBe(implementation)
  expect(await read.readContract({ address: implementation, abi, functionName: 'entryPoint' })).toBe(entryPoint)
})

each('agrees with EIP-1014 for any owner and salt ($name)', async (version) => {
  const { abi, entryPointVersion, factory, implementation, owned } = version
  const formula = (owner: Address, salt: bigint): { salt: Hex; bytecode: Hex } => {
    if (entryPointVersion === '0.6') {
      const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: [owner] })
      const parameters = encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }], [implementation, initialize])
      return { salt: toHex(salt, { size: 32 }), bytecode: concat([proxyCreationCode, parameters]) }
    }
    const type = typeof owned(owner) === 'string' ? 'address' : 'address[]'
    const combined = keccak256(encodeAbiParameters([{ type }, { type: 'uint256' }], [owned(owner), salt]))
    return { salt: combined, bytecode: concat([minimalProxy[0], implementation, minimalProxy[1]]) }
  }
  if (entryPointVersion === '0.6')
    // The factories of public chains use this code.
    expect(keccak256(proxyCreationCode)).toBe('0xf57191d01c049e000c99cddfe85e2ac17d564f548cf6c2a4134b5f560250bfac')
  else expect(keccak256(formula(zeroAddress, 0n).bytecode)).toBe(minimalHashes[version.name])
  await fc.assert(
    fc.asyncProperty(anyAddress, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), async (owner, salt) => {
      const expected = getContractAddress({ opcode: 'CREATE2', from: factory.address, ...formula(owner, salt) })
      expect(await addressOf(version, owner, salt)).toBe(expected)
    }),
    { numRuns: 20 },
  )
})

each('deploys at the predicted address and returns it again later ($name)', async (version) => {
  const { factory, owned, proxy } = version
  const { address: owner } = await chain.freshAccount()
  const by = chain.client(2)
  const address = await addressOf(version, owner, 7n)
  expect(await by.read.getCode({ address })).toBeUndefined()
  const call = { ...factory, functionName: 'createAccount', args: [owned(owner), 7n] }
  expect((await by.read.simulateContract(call)).result).toBe(address)
  await by.transact(create(version, owner, 7n))
  expect(await by.read.getCode({ address })).toMatch(proxy)

  const nonce = await by.read.getTransactionCount({ address: factory.address })
  expect((await by.read.simulateContract(call)).result).toBe(address)
  await by.transact(create(version, owner, 7n))
  expect(await by.read.getTransactionCount({ address: factory.address })).toBe(nonce)
  expect(await addressOf(version, owner, 7n)).toBe(address)
  expect(await senderOf(version, owner, 7n)).toBe(address)
})

each('gives an account to its owner, whoever deploys it ($name)', async (version) => {
  const { abi, factory } = version
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.connect(stranger.privateKey)
  const address = await addressOf(version, owner.address, 0n)
  await by.transact(create(version, owner.address, 0n))
  for (const caller of [stranger.address, factory.address, devAccountOf.paymasterOwner.address]) {
    const args = [caller, 0n, '0x']
    const call = by.read.simulateContract({ address, abi, functionName: 'execute', args, account: caller })
    expect(await readRevert(call)).toEqual({ name: 'NotAuthorized', args: [caller] })
  }
})

each('refuses an account without an owner ($name)', async (version) => {
  const { abi, factory, owned } = version
  const call = {
    address: factory.address,
    abi: [...factory.abi, ...abi.filter(({ type }) => type === 'error')],
    functionName: 'createAccount',
    args: [owned(zeroAddress), 0n],
  }
  const invalidOwner = { name: 'InvalidOwner', args: [zeroAddress] }
  const refusal = version.family === 'LightAccount' ? invalidOwner : { name: 'InvalidOwners', args: [] }
  expect(await readRevert(chain.client(1).read.simulateContract(call))).toEqual(refusal)
})
