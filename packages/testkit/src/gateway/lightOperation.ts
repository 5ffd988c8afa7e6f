import { type Address, concatHex, encodeFunctionData, type Hex, parseAbi } from 'viem'
import {
  entryPoint06Abi,
  entryPoint07Abi,
  getUserOperationHash,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { FixtureError } from '../FixtureError.ts'
import type { RpcReply, TestGateway } from './startTestGateway.ts'

export type Version = '0.6.0' | '0.7.0'
export type Call = { to: Address; value?: bigint; data?: Hex }

const dummySignature =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
/** Paymaster data that clients send with the dummy signature. */
export const foreignDummy: Hex = `0x${'ff'.repeat(32)}${dummySignature.slice(2)}`
const abi = parseAbi([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])
export const gasFields: readonly string[] = [
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
]

export type Owner = Pick<PrivateKeyAccount, 'address' | 'signMessage'>

export type LightOperation = {
  version: Version
  owner: Owner
  sender: Address
  dummySignature: Hex
  userOperation: Record<string, Hex>
}

/** Creates an operation of a new light account: v1.1.0 on EntryPoint 0.6, v2.0.0 on 0.7. */
export async function lightOperation(
  { client }: Pick<TestGateway, 'client'>,
  version: Version,
  calls: Call[] | ((sender: Address) => Call[]),
  { owner = privateKeyToAccount(generatePrivateKey()), salt = 0n }: { owner?: Owner; salt?: bigint } = {},
): Promise<LightOperation> {
  const { factory } = devAddresses.lightAccount[version === '0.6.0' ? 'v1.1.0' : 'v2.0.0']
  const args = [owner.address, salt] as const
  const sender = await client.readContract({ address: factory, abi, functionName: 'getAddress', args })
  const factoryData = encodeFunctionData({ abi, functionName: 'createAccount', args })
  const signature: Hex = version === '0.6.0' ? dummySignature : `0x00${dummySignature.slice(2)}`
  const creation =
    version === '0.6.0'
      ? { initCode: concatHex([factory, factoryData]), paymasterAndData: '0x' as Hex }
      : { factory, factoryData }
  const callData = encodeCalls(typeof calls === 'function' ? calls(sender) : calls)
  return {
    version,
    owner,
    sender,
    dummySignature: signature,
    userOperation: { sender, nonce: '0x0', ...creation, callData, signature },
  }
}

export function encodeCalls(calls: Call[]): Hex {
  const full = calls.map(({ to, value = 0n, data = '0x' }) => ({ to, value, data }))
  const [only] = full
  if (only && full.length === 1)
    return encodeFunctionData({ abi, functionName: 'execute', args: [only.to, only.value, only.data] })
  return encodeFunctionData({
    abi,
    functionName: 'executeBatch',
    args: [full.map(({ to }) => to), full.map(({ value }) => value), full.map(({ data }) => data)],
  })
}

export async function signAndSend(
  gateway: TestGateway,
  operation: LightOperation,
  filled: Record<string, Hex>,
): Promise<{ hash: Hex; reply: RpcReply }> {
  const { hash, params } = await signOperation(gateway.chainId, operation, filled)
  return { hash, reply: await gateway.ask('eth_sendUserOperation', params) }
}

export type SignedOperation = { hash: Hex; params: [userOperation: Record<string, Hex>, entryPoint: Address] }

/** Signs an operation and returns the parameters of `eth_sendUserOperation`. */
export async function signOperation(
  chainId: number,
  operation: LightOperation,
  filled: Record<string, Hex>,
): Promise<SignedOperation> {
  const request = { ...operation.userOperation, ...filled }
  const hash = hashOperation(chainId, operation.version, request)
  const signed = await operation.owner.signMessage({ message: { raw: hash } })
  const signature: Hex = operation.version === '0.6.0' ? signed : `0x00${signed.slice(2)}`
  return { hash, params: [{ ...request, signature }, devAddresses.entryPoints[operation.version]] }
}

/** Creates and signs a sponsored operation, by default of a new account, without sending it. */
export async function sponsoredOperation(
  gateway: TestGateway,
  version: Version,
  more: { operation?: LightOperation; maxFeePerGas?: number; calls?: Call[] } = {},
): Promise<{ operation: LightOperation; signed: SignedOperation }> {
  const calls = more.calls ?? [{ to: '0x00000000000000000000000000000000000000aa' }]
  const operation = more.operation ?? (await lightOperation(gateway, version, calls))
  const { dummySignature, userOperation } = operation
  const entryPoint = devAddresses.entryPoints[version]
  const overrides = more.maxFeePerGas ? { maxFeePerGas: { multiplier: more.maxFeePerGas } } : {}
  const request = { policyId: 'default', entryPoint, userOperation, dummySignature, overrides }
  const { result, error } = await gateway.ask('alchemy_requestGasAndPaymasterAndData', [request])
  if (error) throw new FixtureError(`The operation is not paid for: ${error.message}`)
  return { operation, signed: await signOperation(gateway.chainId, operation, result as Record<string, Hex>) }
}

/** Encodes a `handleOps` call, like a foreign bundler. */
export function encodeHandleOps(version: Version, { params: [request] }: SignedOperation, beneficiary: Address): Hex {
  const values = toValues(request) as unknown
  return version === '0.6.0'
    ? encodeFunctionData({
        abi: entryPoint06Abi,
        functionName: 'handleOps',
        args: [[values as UserOperation<'0.6'> & { initCode: Hex; paymasterAndData: Hex }], beneficiary],
      })
    : encodeFunctionData({
        abi: entryPoint07Abi,
        functionName: 'handleOps',
        args: [[toPackedUserOperation(values as UserOperation<'0.7'>)], beneficiary],
      })
}

export function hashOperation(chainId: number, version: Version, request: Record<string, Hex>): Hex {
  const common = { chainId, entryPointAddress: devAddresses.entryPoints[version] }
  const userOperation = toValues(request) as unknown
  return version === '0.6.0'
    ? getUserOperationHash({
        ...common,
        entryPointVersion: '0.6',
        userOperation: userOperation as UserOperation<'0.6'>,
      })
    : getUserOperationHash({
        ...common,
        entryPointVersion: '0.7',
        userOperation: userOperation as UserOperation<'0.7'>,
      })
}

function toValues(request: Record<string, Hex>): Record<string, Hex | bigint> {
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, gasFields.includes(name) ? BigInt(value) : value]),
  )
}
