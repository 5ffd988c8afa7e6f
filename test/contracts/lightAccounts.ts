import { type Abi, type Address, concat, encodeDeployData, encodeFunctionData, type Hex, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import type { devClient } from '../../packages/dev/src/chain/devClient.ts'
import { lightAccountFactoryV1Abi, lightAccountV1Abi } from './lightAccountV1Abi.ts'
import { lightAccountFactoryV2Abi, lightAccountV2Abi } from './lightAccountV2Abi.ts'
import { readArtifact, type TestChain } from './testChain.ts'

/** What tells one version of the light account from another, for tests of what all of them promise. */
export type LightAccountVersion = {
  /** Name of the artifact, and of the storage namespace. */
  name: string
  /** The published ABI: calls are checked at run time only. */
  abi: Abi
  factory: { address: Address; abi: Abi }
  implementation: Address
  entryPoint: Address
  /** Version in the EIP-712 domain, and that of another account type. */
  domainVersion: string
  otherDomainVersion: string
  /** Events of the proxy itself, before those of the account, when the account is made. */
  creationEvents: readonly { eventName: string; args: unknown }[]
  /** The call that upgrades and does nothing more. */
  upgrade: (to: Address) => { functionName: string; args: readonly unknown[] }
  /** How a signature says that a key made it, or a contract. */
  byKey: (signature: Hex) => Hex
  byContract: (signature: Hex) => Hex
  /** A user operation in which only sender and signature count. */
  operation: (sender: Address, signature: Hex) => object
  /** A key's signature from public chains; the message and the account are the same for all versions. */
  vector: Hex
}

type Key = Awaited<ReturnType<TestChain['freshAccount']>>
export type TestAccount = {
  address: Address
  owner: Key
  stranger: Key
  /** Acts for the owner's key. */
  by: devClient.ReturnType
  read: devClient.ReturnType['read']
  account: { address: Address; abi: Abi }
}

/** Says that a key made the signature, or a contract (v2). */
export const byKey = (signature: Hex): Hex => concat(['0x00', signature])
export const byContract = (signature: Hex): Hex => concat(['0x01', signature])

const implementationV1 = devAddresses.lightAccount['v1.1.0'].implementation
const commonFields = { nonce: 0n, initCode: '0x', callData: '0x', preVerificationGas: 0n, paymasterAndData: '0x' }

export const lightAccountV1: LightAccountVersion = {
  name: 'LightAccountV1_1_0',
  abi: lightAccountV1Abi,
  factory: { address: devAddresses.lightAccount['v1.1.0'].factory, abi: lightAccountFactoryV1Abi },
  implementation: implementationV1,
  entryPoint: devAddresses.entryPoints['0.6.0'],
  domainVersion: '1',
  otherDomainVersion: '2',
  creationEvents: [{ eventName: 'Upgraded', args: { implementation: implementationV1 } }],
  upgrade: (to) => ({ functionName: 'upgradeTo', args: [to] }),
  byKey: (signature) => signature,
  byContract: (signature) => signature,
  operation: (sender, signature) => ({
    ...commonFields,
    sender,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    signature,
  }),
  vector:
    '0x394dcd53572e316d1bf7a5f3be71a4189e1ab1269f57691699f7b18b209e340b63d27ae7b314445fd5a9db5a442278fadd3dc022a9e35a1b5ea20e891c22c8b21c',
}

export const lightAccountV2: LightAccountVersion = {
  name: 'LightAccountV2',
  abi: lightAccountV2Abi,
  factory: { address: devAddresses.lightAccount['v2.0.0'].factory, abi: lightAccountFactoryV2Abi },
  implementation: devAddresses.lightAccount['v2.0.0'].implementation,
  entryPoint: devAddresses.entryPoints['0.7.0'],
  domainVersion: '2',
  otherDomainVersion: '1',
  creationEvents: [],
  upgrade: (to) => ({ functionName: 'upgradeToAndCall', args: [to, '0x'] }),
  byKey,
  byContract,
  operation: (sender, signature) => {
    const none = toHex(0, { size: 32 })
    return { ...commonFields, sender, accountGasLimits: none, gasFees: none, signature }
  },
  vector:
    '0x2a5d8fcbe5f853016cafb76f65acc36cc932b69c9c1bd65576fa1f64f8e21a39610798ccd1494820cdd12988abb254afc36c61064c0ec8ffaa2834a2a3628d2b1b',
}

export const lightAccountVersions = [lightAccountV1, lightAccountV2]

/** The slot a proxy keeps the address of its code in (ERC-1967). */
export const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

/** A new account with 10 ether, a new key that owns it unless another owner is given, and someone who is neither. */
export async function createLightAccount(
  chain: TestChain,
  { factory, abi }: LightAccountVersion,
  owner?: Address,
): Promise<TestAccount> {
  const [key, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.clientOf(key.privateKey)
  const args = [owner ?? key.address, 0n]
  const address = (await by.read.readContract({ ...factory, functionName: 'getAddress', args })) as Address
  await by.transact({
    to: factory.address,
    data: encodeFunctionData({ ...factory, functionName: 'createAccount', args }),
  })
  await by.transact({ to: address, value: parseEther('10') })
  return { address, owner: key, stranger, by, read: by.read, account: { address, abi } }
}

/** What the account answers its entry point about a signature: 0n for the owner's. */
export async function validate(
  { entryPoint, operation }: LightAccountVersion,
  { account, address, read }: TestAccount,
  signature: Hex,
  userOpHash: Hex,
): Promise<unknown> {
  const args = [operation(address, signature), userOpHash, 0n]
  return (await read.simulateContract({ ...account, functionName: 'validateUserOp', args, account: entryPoint })).result
}

/** The account's answer of ERC-1271. */
export function isValid({ account, read }: TestAccount, digest: Hex, signature: Hex): Promise<unknown> {
  return read.readContract({ ...account, functionName: 'isValidSignature', args: [digest, signature] })
}

/** What the owner signs for a digest to be the account's (EIP-712), on the chain of the published vectors. */
export const wrapped = (address: Address, digest: Hex, version: string) =>
  ({
    domain: { name: 'LightAccount', version, chainId: 80001, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: digest },
  }) as const

/** A second copy of the implementation, whose code an account may go to. */
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
  const { contractAddress } = await read.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('not deployed')
  return contractAddress
}
