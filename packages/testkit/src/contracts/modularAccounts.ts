import {
  type Abi,
  type AbiFunction,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type Hex,
  parseAbi,
  parseEther,
  parseEventLogs,
  parseGwei,
} from 'viem'
import { entryPoint06Abi, getUserOperationHash, type UserOperation } from 'viem/account-abstraction'
import type { PrivateKeyAccount } from 'viem/accounts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import type { devClient } from '../../../dev/src/chain/devClient.ts'
import { readArtifact, type TestChain } from '../chain.ts'
import { FixtureError } from '../FixtureError.ts'
import { waitForTransaction } from '../waitForTransaction.ts'
import { dummySignature } from './lightAccounts.ts'
import {
  modularAccountAbi,
  modularAccountFactoryAbi,
  multiOwnerPluginAbi,
  pluginAbi,
  sessionKeyPluginAbi,
} from './modularAccountAbis.ts'

export const { modularAccount, plugins } = devAddresses
export const entryPoint = devAddresses.entryPoints['0.6.0']
export const factory = { address: modularAccount.factory, abi: modularAccountFactoryAbi } as const
export const multiOwnerPlugin = { address: plugins.MultiOwnerPlugin, abi: multiOwnerPluginAbi } as const
export const sessionKeyPlugin = { address: plugins.SessionKeyPlugin, abi: sessionKeyPluginAbi } as const

/** Error of the session key plugin that its published ABI omits. */
const unlistedErrors = parseAbi(['error PermissionsCheckFailed()'])

/** Errors with which an account or its plugins can revert. */
export const errors: Abi = [
  ...new Map(
    [
      ...modularAccountAbi,
      ...modularAccountFactoryAbi,
      ...multiOwnerPluginAbi,
      ...sessionKeyPluginAbi,
      ...unlistedErrors,
    ].flatMap((item) => (item.type === 'error' ? [[JSON.stringify([item.name, item.inputs.length]), item]] : [])),
  ).values(),
]

type Key = Awaited<ReturnType<TestChain['freshAccount']>>
export type ModularTestAccount = {
  address: Address
  owner: Key
  stranger: Key
  by: devClient.ReturnType
  read: devClient.ReturnType['read']
  account: { address: Address; abi: Abi }
}

/** Creates an account with 10 ether, the key of one of its owners, and a key without rights. */
export async function createModularAccount(
  chain: TestChain,
  otherOwners: readonly Address[] = [],
): Promise<ModularTestAccount> {
  const [owner, stranger] = await Promise.all([chain.freshAccount(), chain.freshAccount()])
  const by = chain.connect(owner.privateKey)
  const owners = [owner.address, ...otherOwners].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  const args = [0n, owners] as const
  const address = (await by.read.readContract({ ...factory, functionName: 'getAddress', args })) as Address
  const data = encodeFunctionData({ abi: factory.abi, functionName: 'createAccount', args })
  await by.transact({ to: factory.address, data })
  await by.transact({ to: address, value: parseEther('10') })
  const abi = [...modularAccountAbi.filter(({ type }) => type !== 'error'), ...errors]
  return { address, owner, stranger, by, read: by.read, account: { address, abi } }
}

export type Operation = UserOperation<'0.6'>

/** Creates a signed operation of the account with more gas than needed. */
export async function createOperation(
  chain: TestChain,
  { address, owner }: Pick<ModularTestAccount, 'address' | 'owner'>,
  callData: Hex,
  { signer = owner, nonceKey = 0n, ...fields }: OperationFields = {},
): Promise<Operation> {
  const nonce = await chain.client(1).read.readContract({
    address: entryPoint,
    abi: entryPoint06Abi,
    functionName: 'getNonce',
    args: [address, nonceKey],
  })
  const operation: Operation = {
    sender: address,
    nonce,
    callData,
    callGasLimit: 3_000_000n,
    verificationGasLimit: 2_000_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: parseGwei('2'),
    maxPriorityFeePerGas: parseGwei('1'),
    signature: dummySignature,
    ...fields,
  }
  const raw = hashOperation(chain, operation)
  return { ...operation, signature: await signer.signMessage({ message: { raw } }) }
}
export type OperationFields = { signer?: PrivateKeyAccount; nonceKey?: bigint } & Partial<Operation>

export function hashOperation(chain: TestChain, userOperation: Operation): Hex {
  const { chainId } = chain
  return getUserOperationHash({ chainId, entryPointAddress: entryPoint, entryPointVersion: '0.6', userOperation })
}

/** Converts an operation to the EntryPoint's packed form. */
export function packed(operation: Operation) {
  const { initCode = '0x', paymasterAndData = '0x' } = operation
  return { ...operation, initCode, paymasterAndData }
}

/** Runs operations in one bundle. Rejects if any is refused; failed executions do not reject. */
export async function handle(
  chain: TestChain,
  ...operations: readonly Operation[]
): Promise<{ success: boolean; reason: Hex }[]> {
  const { account, read, transact } = chain.client(4)
  const args = [operations.map(packed), account.address] as const
  const call = { address: entryPoint, abi: entryPoint06Abi, functionName: 'handleOps', args } as const
  await read.simulateContract({ ...call, account })
  const receipt = await transact({ to: entryPoint, data: encodeFunctionData(call), gas: 20_000_000n })
  const parsed = { abi: entryPoint06Abi, logs: receipt.logs } as const
  const reverts = parseEventLogs({ ...parsed, eventName: 'UserOperationRevertReason' })
  return parseEventLogs({ ...parsed, eventName: 'UserOperationEvent' }).map(({ args: { userOpHash, success } }) => {
    const revert = reverts.find(({ args }) => args.userOpHash === userOpHash)
    return { success, reason: revert?.args.revertReason ?? '0x' }
  })
}

/** Returns the validation data as a 32-byte word. */
export async function validate(chain: TestChain, { account, read }: ModularTestAccount, operation: Operation) {
  const args = [packed(operation), hashOperation(chain, operation), 0n]
  const call = { ...account, functionName: 'validateUserOp', args, account: entryPoint }
  return (await read.simulateContract(call)).result as bigint
}

/** Encodes a manifest like an account, which hashes this encoding. */
export function encodeManifest(manifest: Partial<Manifest> = {}): Hex {
  const { outputs } = getAbiItem({ abi: pluginAbi, name: 'pluginManifest' }) as AbiFunction
  return encodeAbiParameters(outputs, [{ ...emptyManifest, ...manifest }])
}

type ManifestFunction = { functionType: number; functionId: number; dependencyIndex: bigint }
type Associated = { executionSelector: Hex; associatedFunction: ManifestFunction }
export type Manifest = {
  interfaceIds: readonly Hex[]
  dependencyInterfaceIds: readonly Hex[]
  executionFunctions: readonly Hex[]
  permittedExecutionSelectors: readonly Hex[]
  permitAnyExternalAddress: boolean
  canSpendNativeToken: boolean
  permittedExternalCalls: readonly { externalAddress: Address; permitAnySelector: boolean; selectors: readonly Hex[] }[]
  userOpValidationFunctions: readonly Associated[]
  runtimeValidationFunctions: readonly Associated[]
  preUserOpValidationHooks: readonly Associated[]
  preRuntimeValidationHooks: readonly Associated[]
  executionHooks: readonly { executionSelector: Hex; preExecHook: ManifestFunction; postExecHook: ManifestFunction }[]
}

export const emptyManifest: Manifest = {
  interfaceIds: [],
  dependencyInterfaceIds: [],
  executionFunctions: [],
  permittedExecutionSelectors: [],
  permitAnyExternalAddress: false,
  canSpendNativeToken: false,
  permittedExternalCalls: [],
  userOpValidationFunctions: [],
  runtimeValidationFunctions: [],
  preUserOpValidationHooks: [],
  preRuntimeValidationHooks: [],
  executionHooks: [],
}

export async function deploy(chain: TestChain, name: string, args: readonly unknown[] = []): Promise<Address> {
  const { abi, bytecode } = readArtifact(name)
  const { privateKey } = await chain.freshAccount()
  const { account, read } = chain.connect(privateKey)
  const raw = await account.signTransaction?.({
    chainId: chain.chainId,
    data: encodeDeployData({ abi, bytecode, args }),
    gas: 10_000_000n,
    gasPrice: parseGwei('10'),
    nonce: 0,
  })
  const hash = await read.sendRawTransaction({ serializedTransaction: raw ?? '0x' })
  const { contractAddress } = await waitForTransaction(read, hash)
  if (!contractAddress) throw new FixtureError(`${name} was not deployed.`)
  return getAddress(contractAddress)
}
