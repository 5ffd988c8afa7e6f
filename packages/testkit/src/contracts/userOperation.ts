import { type Abi, type Address, concat, encodeFunctionData, type Hex, parseAbi, toHex, zeroHash } from 'viem'
import { getUserOperationHash, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devAccountOf } from '../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { rpc } from '../../../dev/src/chain/rpc.ts'
import type { TestChain } from '../chain.ts'
import { FixtureError } from '../FixtureError.ts'
import { dummySignature, type LightAccountVersion } from './lightAccounts.ts'

const nonceAbi = parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256)'])

export type Receipt = { success: boolean; actualGasCost: Hex; receipt: { transactionHash: Hex; status: Hex } }

/** The format of entry point 0.7 is converted by `formatOf` for 0.6. */
type Operation = UserOperation<'0.7'>

const formatOf = {
  '0.6': {
    paymaster: devAddresses.paymasters['0.6.0'],
    paymasterAbi: parseAbi([
      'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
      'function getHash(Operation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
    ]) as Abi,
    forPaymaster: (operation: Operation): object => toOperation06(operation),
    forBundler: (operation: Operation): object => toOperation06(operation),
    hash: (operation: Operation, chainId: number) =>
      getUserOperationHash({
        chainId,
        entryPointAddress: devAddresses.entryPoints['0.6.0'],
        entryPointVersion: '0.6',
        userOperation: toOperation06(operation),
      }),
  },
  '0.7': {
    paymaster: devAddresses.paymasters['0.7.0'],
    paymasterAbi: parseAbi([
      'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
      'function getHash(Operation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
    ]) as Abi,
    forPaymaster: (operation: Operation): object => toPackedUserOperation(operation),
    forBundler: (operation: Operation): object => operation,
    hash: (operation: Operation, chainId: number) =>
      getUserOperationHash({
        chainId,
        entryPointAddress: devAddresses.entryPoints['0.7.0'],
        entryPointVersion: '0.7',
        userOperation: operation,
      }),
  },
}

function toOperation06(operation: Operation): UserOperation<'0.6'> {
  const { sender, nonce, callData, callGasLimit, verificationGasLimit, preVerificationGas, signature } = operation
  const { maxFeePerGas, maxPriorityFeePerGas, factory, factoryData = '0x', paymaster, paymasterData = '0x' } = operation
  const gas = { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas }
  const initCode = factory ? concat([factory, factoryData]) : '0x'
  const paymasterAndData = paymaster ? concat([paymaster, paymasterData]) : '0x'
  return { sender, nonce, initCode, callData, ...gas, paymasterAndData, signature }
}

type Parameters = {
  chain: TestChain
  version: LightAccountVersion
  owner: PrivateKeyAccount
  /** The owner signs by default. */
  signer?: PrivateKeyAccount
  target: Address
  value?: bigint
  data?: Hex
  sponsor?: PrivateKeyAccount | undefined
}

export const paymasterSigner = privateKeyToAccount(devAccountOf.paymasterSigner.privateKey)

export async function predictAccount(chain: TestChain, version: LightAccountVersion, owner: Address): Promise<Address> {
  const { factory, owned } = version
  const call = { ...factory, functionName: 'getAddress', args: [owned(owner), 0n] }
  return (await chain.client(1).read.readContract(call)) as Address
}

/** Sends an operation of the owner's account through the bundler, which deploys the account if needed. */
export async function sendUserOperation(parameters: Parameters): Promise<Hex> {
  const { chain, version, owner, signer = owner, sponsor } = parameters
  const format = formatOf[version.entryPointVersion]
  const ask = <result>(method: string, operation: Operation) =>
    rpc<result>({
      url: chain.bundlerUrl,
      method,
      params: [toHexFields(format.forBundler(operation)), version.entryPoint],
    })
  const draft = await createDraft(parameters)
  const gas = await ask<Record<string, Hex>>('eth_estimateUserOperationGas', draft)
  const limited: Operation = {
    ...draft,
    callGasLimit: BigInt(gas.callGasLimit ?? 0),
    verificationGasLimit: BigInt(gas.verificationGasLimit ?? 0) + 30_000n,
    preVerificationGas: BigInt(gas.preVerificationGas ?? 0),
    ...(sponsor ? { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 0n } : {}),
  }
  const paid = sponsor ? await sponsored(parameters, limited, sponsor) : limited
  const signature = await signer.signMessage({ message: { raw: format.hash(paid, chain.chainId) } })
  return ask<Hex>('eth_sendUserOperation', { ...paid, signature: version.byKey(signature) })
}

export async function waitForReceipt(chain: TestChain, hash: Hex): Promise<Receipt> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const method = 'eth_getUserOperationReceipt'
    const receipt = await rpc<Receipt | null>({ url: chain.bundlerUrl, method, params: [hash] })
    if (receipt) return receipt
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new FixtureError(`No receipt of ${hash}.`)
}

async function createDraft({
  chain,
  version,
  owner,
  target,
  value = 0n,
  data = '0x',
  sponsor,
}: Parameters): Promise<Operation> {
  const { read } = chain.client(1)
  const { abi, entryPoint, factory, owned } = version
  const sender = await predictAccount(chain, version, owner.address)
  const create = { abi: factory.abi, functionName: 'createAccount', args: [owned(owner.address), 0n] }
  const fees = await rpc<{ standard: { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex } }>({
    url: chain.bundlerUrl,
    method: 'pimlico_getUserOperationGasPrice',
  })
  const nonce = { address: entryPoint, abi: nonceAbi, functionName: 'getNonce', args: [sender, 0n] } as const
  const { paymaster } = formatOf[version.entryPointVersion]
  return {
    sender,
    nonce: await read.readContract(nonce),
    ...((await read.getCode({ address: sender }))
      ? {}
      : { factory: factory.address, factoryData: encodeFunctionData(create) }),
    callData: encodeFunctionData({ abi, functionName: 'execute', args: [target, value, data] }),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: BigInt(fees.standard.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.standard.maxPriorityFeePerGas),
    ...(sponsor ? { paymaster, paymasterData: paymasterData(dummySignature) } : {}),
    signature: version.byKey(dummySignature),
  }
}

/** The paymaster data holds a word of times without end and the signature. */
function paymasterData(signature: Hex): Hex {
  return concat([zeroHash, signature])
}

async function sponsored(
  { chain, version }: Parameters,
  operation: Operation,
  sponsor: PrivateKeyAccount,
): Promise<Operation> {
  const { paymaster, paymasterAbi, forPaymaster } = formatOf[version.entryPointVersion]
  const args = [forPaymaster(operation), 0, 0]
  const call = { address: paymaster, abi: paymasterAbi, functionName: 'getHash', args }
  const hash = (await chain.client(1).read.readContract(call)) as Hex
  return { ...operation, paymasterData: paymasterData(await sponsor.sign({ hash })) }
}

function toHexFields(operation: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(operation).map(([key, value]) => [key, typeof value === 'bigint' ? toHex(value) : value]),
  )
}
