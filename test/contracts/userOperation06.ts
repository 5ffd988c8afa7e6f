import { type Address, concat, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devAccountOf } from '../../packages/dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import { rpc } from '../../packages/dev/src/chain/rpc.ts'
import { lightAccountFactoryV1Abi, lightAccountV1Abi } from './lightAccountV1Abi.ts'
import type { TestChain } from './testChain.ts'

const entryPoint = devAddresses.entryPoints['0.6.0']
const { factory } = devAddresses.lightAccount['v1.1.0']
const paymaster = devAddresses.paymasters['0.6.0']
const dummySignature =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
const viewAbi = parseAbi([
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
  'function getHash(Operation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
  'function getNonce(address sender, uint192 key) view returns (uint256)',
])

type Operation = {
  sender: Address
  nonce: bigint
  initCode: Hex
  callData: Hex
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  paymasterAndData: Hex
  signature: Hex
}

export type Receipt = { success: boolean; actualGasCost: Hex; receipt: { transactionHash: Hex; status: Hex } }

/** Address of the owner's account, salt 0. */
export function accountOf(chain: TestChain, owner: Address): Promise<Address> {
  const parameters = { address: factory, abi: lightAccountFactoryV1Abi, args: [owner, 0n] } as const
  return chain.client(1).read.readContract({ ...parameters, functionName: 'getAddress' })
}

type Parameters = {
  chain: TestChain
  owner: PrivateKeyAccount
  /** Who signs; the owner by default. */
  signer?: PrivateKeyAccount
  target: Address
  value?: bigint
  data?: Hex
  sponsor?: PrivateKeyAccount | undefined
}

/** Sends one user operation of the owner's account through the bundler, deploying the account when needed. */
export async function sendUserOperation(parameters: Parameters): Promise<Hex> {
  const { chain, owner, signer = owner, sponsor } = parameters
  const bundler = <result>(method: string, params: readonly unknown[]) =>
    rpc<result>({ url: chain.bundlerUrl, method, params })
  const draft = await draftOf(parameters)
  const gas = await bundler<Record<'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas', Hex>>(
    'eth_estimateUserOperationGas',
    [hexOf(draft), entryPoint],
  )
  const limited: Operation = {
    ...draft,
    callGasLimit: BigInt(gas.callGasLimit),
    verificationGasLimit: BigInt(gas.verificationGasLimit) + 30_000n,
    preVerificationGas: BigInt(gas.preVerificationGas),
  }
  const paid = sponsor ? { ...limited, paymasterAndData: await sponsored(chain, limited, sponsor) } : limited
  const hash = getUserOperationHash({
    chainId: chain.chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.6',
    userOperation: paid,
  })
  const signature = await signer.signMessage({ message: { raw: hash } })
  return bundler<Hex>('eth_sendUserOperation', [hexOf({ ...paid, signature }), entryPoint])
}

/** Waits for the receipt, 20 s at most. */
export async function receiptOf(chain: TestChain, hash: Hex): Promise<Receipt> {
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline) {
    const method = 'eth_getUserOperationReceipt'
    const receipt = await rpc<Receipt | null>({ url: chain.bundlerUrl, method, params: [hash] })
    if (receipt) return receipt
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`No receipt of ${hash}.`)
}

async function draftOf({ chain, owner, target, value = 0n, data = '0x', sponsor }: Parameters): Promise<Operation> {
  const { read } = chain.client(1)
  const sender = await accountOf(chain, owner.address)
  const create = encodeFunctionData({
    abi: lightAccountFactoryV1Abi,
    functionName: 'createAccount',
    args: [owner.address, 0n],
  })
  const fees = await rpc<{ standard: { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex } }>({
    url: chain.bundlerUrl,
    method: 'pimlico_getUserOperationGasPrice',
  })
  return {
    sender,
    nonce: await read.readContract({
      address: entryPoint,
      abi: viewAbi,
      functionName: 'getNonce',
      args: [sender, 0n],
    }),
    initCode: (await read.getCode({ address: sender })) ? '0x' : concat([factory, create]),
    callData: encodeFunctionData({ abi: lightAccountV1Abi, functionName: 'execute', args: [target, value, data] }),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: BigInt(fees.standard.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.standard.maxPriorityFeePerGas),
    paymasterAndData: sponsor ? paymasterAndData(dummySignature) : '0x',
    signature: dummySignature,
  }
}

/** VerifyingPaymaster 0.6: address, validUntil and validAfter as two words, signature. */
function paymasterAndData(signature: Hex): Hex {
  const window = encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [0, 0])
  return concat([paymaster, window, signature])
}

async function sponsored(chain: TestChain, operation: Operation, sponsor: PrivateKeyAccount): Promise<Hex> {
  const hash = await chain.client(1).read.readContract({
    address: paymaster,
    abi: viewAbi,
    functionName: 'getHash',
    args: [{ ...operation, paymasterAndData: paymasterAndData(dummySignature) }, 0, 0],
  })
  return paymasterAndData(await sponsor.signMessage({ message: { raw: hash } }))
}

/** The key the dev chain's paymasters believe. */
export const paymasterSigner = privateKeyToAccount(devAccountOf.paymasterSigner.privateKey)

function hexOf(operation: Operation): Record<string, Hex> {
  return Object.fromEntries(
    Object.entries(operation).map(([key, value]) => [key, typeof value === 'bigint' ? toHex(value) : value]),
  )
}
