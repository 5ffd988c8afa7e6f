import { type Address, concat, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import { getUserOperationHash, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction'
import type { PrivateKeyAccount } from 'viem/accounts'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import { rpc } from '../../packages/dev/src/chain/rpc.ts'
import { byKey } from './lightAccounts.ts'
import { lightAccountFactoryV2Abi, lightAccountV2Abi } from './lightAccountV2Abi.ts'
import type { TestChain } from './testChain.ts'

const entryPoint = devAddresses.entryPoints['0.7.0']
const { factory } = devAddresses.lightAccount['v2.0.0']
const paymaster = devAddresses.paymasters['0.7.0']
const dummySignature =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
const viewAbi = parseAbi([
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function getHash(Operation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
  'function getNonce(address sender, uint192 key) view returns (uint256)',
])

type Operation = UserOperation<'0.7'>

/** Address of the owner's v2 account, salt 0. */
export function accountOf07(chain: TestChain, owner: Address): Promise<Address> {
  const parameters = { address: factory, abi: lightAccountFactoryV2Abi, args: [owner, 0n] } as const
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

/** Sends one user operation of the owner's v2 account through the bundler, deploying the account when needed. */
export async function sendUserOperation07(parameters: Parameters): Promise<Hex> {
  const { chain, owner, signer = owner, sponsor } = parameters
  const bundler = <result>(method: string, params: readonly unknown[]) =>
    rpc<result>({ url: chain.bundlerUrl, method, params })
  const draft = await draftOf(parameters)
  const gas = await bundler<Record<string, Hex>>('eth_estimateUserOperationGas', [hexOf(draft), entryPoint])
  const big = (name: string) => BigInt(gas[name] ?? '0x0')
  const limited: Operation = {
    ...draft,
    callGasLimit: big('callGasLimit'),
    verificationGasLimit: big('verificationGasLimit'),
    preVerificationGas: big('preVerificationGas'),
    ...(sponsor ? { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 0n } : {}),
  }
  const paid = sponsor ? { ...limited, paymasterData: await sponsored(chain, limited, sponsor) } : limited
  const hash = getUserOperationHash({
    chainId: chain.chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.7',
    userOperation: paid,
  })
  const signature = byKey(await signer.signMessage({ message: { raw: hash } }))
  return bundler<Hex>('eth_sendUserOperation', [hexOf({ ...paid, signature }), entryPoint])
}

async function draftOf({ chain, owner, target, value = 0n, data = '0x', sponsor }: Parameters): Promise<Operation> {
  const { read } = chain.client(1)
  const sender = await accountOf07(chain, owner.address)
  const factoryData = encodeFunctionData({
    abi: lightAccountFactoryV2Abi,
    functionName: 'createAccount',
    args: [owner.address, 0n],
  })
  const fees = await rpc<{ standard: { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex } }>({
    url: chain.bundlerUrl,
    method: 'pimlico_getUserOperationGasPrice',
  })
  const nonce = { address: entryPoint, abi: viewAbi, functionName: 'getNonce', args: [sender, 0n] } as const
  return {
    sender,
    nonce: await read.readContract(nonce),
    ...((await read.getCode({ address: sender })) ? {} : { factory, factoryData }),
    callData: encodeFunctionData({ abi: lightAccountV2Abi, functionName: 'execute', args: [target, value, data] }),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: BigInt(fees.standard.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fees.standard.maxPriorityFeePerGas),
    ...(sponsor ? { paymaster, paymasterData: paymasterData(dummySignature) } : {}),
    signature: byKey(dummySignature),
  }
}

/** VerifyingPaymaster 0.7: validUntil and validAfter as two words, signature. */
function paymasterData(signature: Hex): Hex {
  return concat([encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [0, 0]), signature])
}

async function sponsored(chain: TestChain, operation: Operation, sponsor: PrivateKeyAccount): Promise<Hex> {
  const hash = await chain.client(1).read.readContract({
    address: paymaster,
    abi: viewAbi,
    functionName: 'getHash',
    args: [toPackedUserOperation(operation), 0, 0],
  })
  return paymasterData(await sponsor.signMessage({ message: { raw: hash } }))
}

function hexOf(operation: Operation): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(operation).map(([key, value]) => [key, typeof value === 'bigint' ? toHex(value) : value]),
  )
}
