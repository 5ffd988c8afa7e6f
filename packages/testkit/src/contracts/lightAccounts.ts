import { type Abi, type Address, concat, encodeDeployData, encodeFunctionData, type Hex, parseEther, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import type { devClient } from '../../../dev/src/chain/devClient.ts'
import { readArtifact, type TestChain } from '../chain.ts'
import { FixtureError } from '../FixtureError.ts'
import { waitForTransaction } from '../waitForTransaction.ts'
import {
  lightAccountBareV1Abi,
  lightAccountFactoryV1Abi,
  lightAccountFactoryV2Abi,
  lightAccountV1Abi,
  lightAccountV2Abi,
  multiOwnerLightAccountAbi,
  multiOwnerLightAccountFactoryAbi,
} from './lightAccountAbis.ts'

/** Differences between versions, for tests of their common behavior. */
export type LightAccountVersion = {
  name: string
  /** Not typed: viem checks calls against the published ABI only at run time. */
  abi: Abi
  factory: { name: string; address: Address; abi: Abi }
  implementation: Address
  entryPointVersion: '0.6' | '0.7'
  entryPoint: Address
  /** Storage namespace. Versions of one family can be upgraded to one another without initialization. */
  family: 'LightAccount' | 'MultiOwnerLightAccount'
  /** EIP-712 domain in which owners sign messages; undefined if owners sign digests directly. */
  domain?: { name: string; version: string }
  /** Whether the version accepts no ERC-1271 signature. */
  refusesMessages?: true
  /** Converts an owner to the argument of the factory and `initialize`. */
  owned: (owner: Address) => Address | Address[]
  /** Adds the signature type (key or contract), if the version requires one. */
  byKey: (signature: Hex) => Hex
  byContract: (signature: Hex, owner: Address) => Hex
  proxy: RegExp
  /** Addresses of key 0's account on public chains, by salt. `signature`: the account's signature of `vector` there. */
  addresses: readonly Address[]
  signature?: Hex
}

const { entryPoints, lightAccount, multiOwnerLightAccount } = devAddresses
const erc1967 = /^0x6080604052/
const minimal = /^0x363d3d373d3d363d7f/

const v1 = {
  abi: lightAccountV1Abi,
  entryPointVersion: '0.6',
  entryPoint: entryPoints['0.6.0'],
  family: 'LightAccount',
  owned: (owner: Address) => owner,
  byKey: (signature: Hex) => signature,
  byContract: (signature: Hex) => signature,
  proxy: erc1967,
} as const

const v2 = {
  entryPointVersion: '0.7',
  entryPoint: entryPoints['0.7.0'],
  byKey: (signature: Hex) => concat(['0x00', signature]),
  proxy: minimal,
} as const

export const lightAccountV1_0_1: LightAccountVersion = {
  ...v1,
  name: 'LightAccountV1_0_1',
  abi: lightAccountBareV1Abi,
  factory: {
    name: 'LightAccountFactoryV1_0_1',
    address: lightAccount['v1.0.1'].factory,
    abi: lightAccountFactoryV1Abi,
  },
  implementation: lightAccount['v1.0.1'].implementation,
  addresses: ['0xCF43F401bba7e23793eAa23d92a872C835505B0e', '0x99aEC4ebb868C1C715503339E30e9b04A8D7C16E'],
  signature:
    '0x53f3169bd14b5ade19a0488bf04ba94a1afa46549014febf3d20d2850a92c98f200c729d723b0592c8b4cb64c0423bb40c5a7fb49f69f4ef5f71ecc672e782e71b',
}

export const lightAccountV1_0_2: LightAccountVersion = {
  ...v1,
  name: 'LightAccountV1_0_2',
  factory: {
    name: 'LightAccountFactoryV1_0_2',
    address: lightAccount['v1.0.2'].factory,
    abi: lightAccountFactoryV1Abi,
  },
  implementation: lightAccount['v1.0.2'].implementation,
  domain: { name: 'LightAccount', version: '1' },
  refusesMessages: true,
  addresses: ['0xDec511Bb2610966340dB164c6e948489B445bA9b', '0x381D954bE6B68BbEce0e873Cac92e7FFe60fd22D'],
}

export const lightAccountV1_1_0: LightAccountVersion = {
  ...v1,
  name: 'LightAccountV1_1_0',
  factory: {
    name: 'LightAccountFactoryV1_1_0',
    address: lightAccount['v1.1.0'].factory,
    abi: lightAccountFactoryV1Abi,
  },
  implementation: lightAccount['v1.1.0'].implementation,
  domain: { name: 'LightAccount', version: '1' },
  addresses: ['0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6', '0xBDB872C4FBe1c911980e36a5228914B4B51BF7ec'],
  signature:
    '0x394dcd53572e316d1bf7a5f3be71a4189e1ab1269f57691699f7b18b209e340b63d27ae7b314445fd5a9db5a442278fadd3dc022a9e35a1b5ea20e891c22c8b21c',
}

export const lightAccountV2: LightAccountVersion = {
  ...v2,
  name: 'LightAccountV2',
  abi: lightAccountV2Abi,
  factory: { name: 'LightAccountFactoryV2', address: lightAccount['v2.0.0'].factory, abi: lightAccountFactoryV2Abi },
  implementation: lightAccount['v2.0.0'].implementation,
  family: 'LightAccount',
  domain: { name: 'LightAccount', version: '2' },
  owned: (owner) => owner,
  byContract: (signature) => concat(['0x01', signature]),
  addresses: ['0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9', '0xf35aBA8E15C6C28aE0b52894767f771df18E9556'],
  signature:
    '0x2a5d8fcbe5f853016cafb76f65acc36cc932b69c9c1bd65576fa1f64f8e21a39610798ccd1494820cdd12988abb254afc36c61064c0ec8ffaa2834a2a3628d2b1b',
}

export const multiOwnerLightAccountV2: LightAccountVersion = {
  ...v2,
  name: 'MultiOwnerLightAccount',
  abi: multiOwnerLightAccountAbi,
  factory: {
    name: 'MultiOwnerLightAccountFactory',
    address: multiOwnerLightAccount['v2.0.0'].factory,
    abi: multiOwnerLightAccountFactoryAbi,
  },
  implementation: multiOwnerLightAccount['v2.0.0'].implementation,
  family: 'MultiOwnerLightAccount',
  domain: { name: 'MultiOwnerLightAccount', version: '2' },
  owned: (owner) => [owner],
  byContract: (signature, owner) => concat(['0x02', owner, signature]),
  addresses: ['0x6ef8bb149c4422a33f87eF6A406B601D8F964b65'],
  signature:
    '0x31b92c79b561ceaa77a66f983a0403ca411352cca0af290b1e789369b094cf8e3cae99b66cf964fc98ba211d72c04c984e6b5694b258f57e5d3dc8959c22de641b',
}

export const singleOwnerVersions = [lightAccountV1_0_1, lightAccountV1_0_2, lightAccountV1_1_0, lightAccountV2]
export const lightAccountVersions = [...singleOwnerVersions, multiOwnerLightAccountV2]

/** Data that the published signatures of all versions sign. */
export const vector = {
  chainId: 80001,
  account: '0xb856DBD4fA1A79a46D426f537455e7d3E79ab7c4',
  message: '0xa70d0af2ebb03a44dcd0714a8724f622e3ab876d0aa312f0ee04823285d6fb1b',
} as const

/** Signature that clients send before the real one. It recovers to an arbitrary address. */
export const dummySignature =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'

/** Storage slot in which a proxy stores its implementation (ERC-1967). */
export const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

type Key = Awaited<ReturnType<TestChain['freshAccount']>>
export type TestAccount = {
  version: LightAccountVersion
  address: Address
  owner: Key
  stranger: Key
  by: devClient.ReturnType
  read: devClient.ReturnType['read']
  account: { address: Address; abi: Abi }
}

/** Creates an account with 10 ether, its owner's key (unless another owner is given), and a key without rights. */
export async function createLightAccount(
  chain: TestChain,
  version: LightAccountVersion,
  owner?: Address,
  salt = 0n,
): Promise<TestAccount> {
  const { factory, abi, owned } = version
  const [key, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.connect(key.privateKey)
  const args = [owned(owner ?? key.address), salt]
  const address = (await by.read.readContract({ ...factory, functionName: 'getAddress', args })) as Address
  const data = encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args })
  await by.transact({ to: factory.address, data })
  await chain.request('anvil_setBalance', [address, toHex(parseEther('10'))])
  return { version, address, owner: key, stranger, by, read: by.read, account: { address, abi } }
}

export async function ownersOf({ account, read, version }: TestAccount): Promise<readonly Address[]> {
  const functionName = version.family === 'LightAccount' ? 'owner' : 'owners'
  const owners = (await read.readContract({ ...account, functionName })) as Address | readonly Address[]
  return typeof owners === 'string' ? [owners] : owners
}

export async function readImplementation({ address, read }: TestAccount): Promise<bigint> {
  return BigInt((await read.getStorageAt({ address, slot: implementationSlot })) ?? 0)
}

const zeros = { nonce: 0n, initCode: '0x', callData: '0x', preVerificationGas: 0n, paymasterAndData: '0x' }

/** Creates an operation for validation, of which only sender and signature matter. */
export function createOperation({ address, version }: TestAccount, signature: Hex): object {
  if (version.entryPointVersion === '0.7') {
    const none = toHex(0, { size: 32 })
    return { ...zeros, sender: address, accountGasLimits: none, gasFees: none, signature }
  }
  const limits = { callGasLimit: 0n, verificationGasLimit: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  return { ...zeros, ...limits, sender: address, signature }
}

/** Returns the account's validation data: 0n for an owner's signature. */
export async function validate(it: TestAccount, signature: Hex, userOpHash: Hex): Promise<unknown> {
  const args = [createOperation(it, signature), userOpHash, 0n]
  const call = { ...it.account, functionName: 'validateUserOp', args, account: it.version.entryPoint }
  return (await it.read.simulateContract(call)).result
}

export function isValid({ account, read }: TestAccount, digest: Hex, signature: Hex): Promise<unknown> {
  return read.readContract({ ...account, functionName: 'isValidSignature', args: [digest, signature] })
}

/** Returns the typed data that an owner signs to approve a digest (EIP-712). */
export const wrapped = (
  verifyingContract: Address,
  digest: Hex,
  domain: { name: string; version: string },
  chainId: number,
) =>
  ({
    domain: { ...domain, chainId, verifyingContract },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: digest },
  }) as const

export async function signDigest(it: TestAccount, by: PrivateKeyAccount, digest: Hex): Promise<Hex> {
  const { byKey, domain } = it.version
  if (!domain) return byKey(await by.sign({ hash: digest }))
  return byKey(await by.signTypedData(wrapped(it.address, digest, domain, await it.read.getChainId())))
}

export async function deployImplementation(chain: TestChain, version: LightAccountVersion): Promise<Address> {
  const { abi, name, entryPoint } = version
  const { bytecode } = readArtifact(name)
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
  const { contractAddress } = await waitForTransaction(read, hash)
  if (!contractAddress) throw new FixtureError('The contract was not deployed.')
  return contractAddress
}
