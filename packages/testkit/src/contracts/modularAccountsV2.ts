import {
  type Abi,
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseEther,
  parseEventLogs,
  parseGwei,
  size,
} from 'viem'
import {
  entryPoint07Abi,
  getUserOperationHash,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import type { PrivateKeyAccount } from 'viem/accounts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import type { devClient } from '../../../dev/src/chain/devClient.ts'
import type { TestChain } from '../chain.ts'
import {
  accountFactoryAbi,
  allowlistModuleAbi,
  modularAccountV2Abi,
  nativeTokenLimitModuleAbi,
  paymasterGuardModuleAbi,
  semiModularStorageOnlyAbi,
  singleSignerValidationModuleAbi,
  timeRangeModuleAbi,
} from './modularAccountV2Abis.ts'

export const { modularAccountV2, modules } = devAddresses
export const entryPoint = devAddresses.entryPoints['0.7.0']
export const factory = { address: modularAccountV2.factory, abi: accountFactoryAbi } as const
export const singleSigner = {
  address: modules.SingleSignerValidationModule,
  abi: singleSignerValidationModuleAbi,
} as const

/** Errors with which an account or its modules can revert. */
const errors: Abi = [
  ...new Map(
    [
      ...semiModularStorageOnlyAbi,
      ...singleSignerValidationModuleAbi,
      ...allowlistModuleAbi,
      ...nativeTokenLimitModuleAbi,
      ...paymasterGuardModuleAbi,
      ...timeRangeModuleAbi,
    ].flatMap((item) => (item.type === 'error' ? [[item.name, item]] : [])),
  ).values(),
]

/** Functions of all types of modular accounts v2, and errors of their modules. */
export const accountAbi: Abi = [
  ...semiModularStorageOnlyAbi.filter(({ type }) => type !== 'error'),
  ...modularAccountV2Abi.filter((item) => item.type === 'function' && item.name === 'initializeWithValidation'),
  ...errors,
]

type Key = Awaited<ReturnType<TestChain['freshAccount']>>
export type ModularV2TestAccount = {
  address: Address
  owner: Key
  stranger: Key
  by: devClient.ReturnType
  read: devClient.ReturnType['read']
  account: { address: Address; abi: Abi }
  /** Entity id of the owner's validation. */
  entityId: number
}

/** Creates a semi-modular account (bytecode) with 10 ether, its owner's key and a key without rights. */
export async function createSemiModularAccount(
  chain: TestChain,
  ownerAddress?: Address,
): Promise<ModularV2TestAccount> {
  const owner = await chain.freshAccount()
  const args = [ownerAddress ?? owner.address, 0n]
  const address = await create(chain, owner, 'createSemiModularAccount', 'getAddressSemiModular', args)
  return view(chain, address, owner, 0)
}

/** Creates a modular account with a single-signer validation of `entityId`. */
export async function createModularAccountV2(chain: TestChain, entityId = 1): Promise<ModularV2TestAccount> {
  const owner = await chain.freshAccount()
  const address = await create(chain, owner, 'createAccount', 'getAddress', [owner.address, 0n, entityId])
  return view(chain, address, owner, entityId)
}

async function create(chain: TestChain, owner: Key, create: string, get: string, args: unknown[]): Promise<Address> {
  const by = chain.connect(owner.privateKey)
  const address = (await by.read.readContract({ ...factory, functionName: get, args })) as Address
  await by.transact({ to: factory.address, data: encodeFunctionData({ abi: factory.abi, functionName: create, args }) })
  await chain.request('anvil_setBalance', [address, numberToHex(parseEther('10'))])
  return address
}

/** Returns an upgraded account as a modular account v2. */
export async function view(
  chain: TestChain,
  address: Address,
  owner: Key,
  entityId = 0,
): Promise<ModularV2TestAccount> {
  const by = chain.connect(owner.privateKey)
  const stranger = await chain.freshAccount()
  return { address, owner, stranger, by, read: by.read, account: { address, abi: accountAbi }, entityId }
}

export const call = (functionName: string, ...args: unknown[]): Hex =>
  encodeFunctionData({ abi: accountAbi, functionName, args })
export const execute = (target: Address, value = 0n, data: Hex = '0x'): Hex => call('execute', target, value, data)
export const inContext = (callData: Hex): Hex => concat(['0x8dd7712f', callData])

export const isUserOp = 1
export const isSignature = 2
export const isGlobal = 4
/** Hook flags. */
export const validationHook = 1
export const postHook = 2
export const preHook = 4

export const toEntity = (module: Address, entityId: number): Hex =>
  concat([module.toLowerCase() as Hex, numberToHex(entityId, { size: 4 })])
export const toConfig = (module: Address, entityId: number, flags: number): Hex =>
  concat([toEntity(module, entityId), numberToHex(flags, { size: 1 })])

/** Encodes install data of modules from types and values. */
export const encode = (types: string, ...values: unknown[]): Hex =>
  encodeAbiParameters(
    types.split(',').map((type) => ({ type })),
    values,
  )

export const encodeSigner = (entityId: number, signer: Address): Hex => encode('uint32,address', entityId, signer)

export type SessionKey = { key: Key; entityId: number }

/** Returns the call that installs a single-signer validation. */
export function installSigner(
  signer: Address,
  entityId: number,
  {
    flags = isUserOp,
    selectors = ['0xb61d27f6', '0x34fcd5be'],
    hooks = [],
  }: { flags?: number; selectors?: readonly Hex[]; hooks?: readonly Hex[] } = {},
): Hex {
  const config = toConfig(singleSigner.address, entityId, flags)
  return call('installValidation', config, selectors, encodeSigner(entityId, signer), hooks)
}

export type Operation = UserOperation<'0.7'>

export type OperationFields = {
  signer?: PrivateKeyAccount
  entityId?: number
  /** Validation options: bit 0 global, bit 1 deferred action, bit 2 direct call. */
  options?: number
  parallel?: bigint
  /** Bytes before 0xff: a deferred action, and hook data. */
  prefix?: Hex
} & Partial<Operation>

export const toNonceKey = (entityId: number, options: number, parallel = 0n): bigint =>
  (parallel << 40n) | (BigInt(entityId) << 8n) | BigInt(options)

export async function readNonce(chain: TestChain, address: Address, key: bigint): Promise<bigint> {
  const args = [address, key] as const
  return await chain
    .client(1)
    .read.readContract({ address: entryPoint, abi: entryPoint07Abi, functionName: 'getNonce', args })
}

/** Creates an operation with more gas than needed, signed by its owner or another signer. */
export async function createOperation(
  chain: TestChain,
  it: Pick<ModularV2TestAccount, 'address' | 'owner' | 'entityId'>,
  callData: Hex,
  { signer = it.owner, entityId = it.entityId, options = 1, parallel, prefix = '0x', ...fields }: OperationFields = {},
): Promise<Operation> {
  const nonce = fields.nonce ?? (await readNonce(chain, it.address, toNonceKey(entityId, options, parallel)))
  const operation: Operation = {
    sender: it.address,
    nonce,
    callData,
    callGasLimit: 3_000_000n,
    verificationGasLimit: 3_000_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: parseGwei('2'),
    maxPriorityFeePerGas: parseGwei('1'),
    signature: '0x',
    ...fields,
  }
  if (fields.signature) return operation
  const raw = hashOperation(chain, operation)
  return { ...operation, signature: concat([prefix, '0xff00', await signer.signMessage({ message: { raw } })]) }
}

export function hashOperation({ chainId }: TestChain, userOperation: Operation): Hex {
  return getUserOperationHash({ chainId, entryPointAddress: entryPoint, entryPointVersion: '0.7', userOperation })
}

/** Runs operations in one bundle. Rejects if any is refused; failed executions do not reject. */
export async function handle(
  chain: TestChain,
  ...operations: readonly Operation[]
): Promise<{ success: boolean; reason: Hex }[]> {
  const { account, read, transact } = chain.client(4)
  const args = [operations.map((operation) => toPackedUserOperation(operation)), account.address] as const
  const call = { address: entryPoint, abi: entryPoint07Abi, functionName: 'handleOps', args } as const
  await read.simulateContract({ ...call, account })
  const receipt = await transact({ to: entryPoint, data: encodeFunctionData(call), gas: 25_000_000n })
  const parsed = { abi: entryPoint07Abi, logs: receipt.logs } as const
  const reverts = parseEventLogs({ ...parsed, eventName: 'UserOperationRevertReason' })
  return parseEventLogs({ ...parsed, eventName: 'UserOperationEvent' }).map(({ args: { userOpHash, success } }) => {
    const revert = reverts.find(({ args }) => args.userOpHash === userOpHash)
    return { success, reason: revert?.args.revertReason ?? '0x' }
  })
}

/** Returns the account's validation data. Rejects if the validation reverts. */
export async function validate(chain: TestChain, { account, read }: ModularV2TestAccount, operation: Operation) {
  const args = [toPackedUserOperation(operation), hashOperation(chain, operation), 0n]
  const call = { ...account, functionName: 'validateUserOp', args, account: entryPoint }
  return (await read.simulateContract(call)).result as bigint
}

/** Validation data without an expiration time, as returned by hooks. */
export const forever = (2n ** 48n - 1n) << 160n

/** Returns the bytes that identify a validation: options and entity id. */
export const toLocator = (entityId: number, options = 0): Hex =>
  concat([numberToHex(options, { size: 1 }), numberToHex(entityId, { size: 4 })])

/** Returns a call of executeWithRuntimeValidation, with the owner's global validation by default. */
export const runtimeCall = (data: Hex, entityId = 0, options = 1, rest: Hex = '0xff'): Hex =>
  call('executeWithRuntimeValidation', data, concat([toLocator(entityId, options), rest]))

const replaySafe = { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] } as const

/** Signs a digest for ERC-1271. Pass `module`, except for the fallback signer's signature. */
export async function signDigest(
  chain: TestChain,
  { address }: Pick<ModularV2TestAccount, 'address'>,
  by: PrivateKeyAccount,
  hash: Hex,
  { entityId = 0, module }: { entityId?: number; module?: Address } = {},
): Promise<Hex> {
  const domain = module
    ? { chainId: chain.chainId, verifyingContract: module, salt: concat(['0x000000000000000000000000', address]) }
    : { chainId: chain.chainId, verifyingContract: address }
  const signature = await by.signTypedData({
    domain,
    types: replaySafe,
    primaryType: 'ReplaySafeHash',
    message: { hash },
  })
  return concat([toLocator(entityId), '0xff00', signature])
}

export function isValid({ account, read }: ModularV2TestAccount, hash: Hex, signature: Hex): Promise<unknown> {
  return read.readContract({ ...account, functionName: 'isValidSignature', args: [hash, signature] })
}

export type DeferredAction = {
  nonce: bigint
  call: Hex
  deadline?: number
  /** Entity id and options of the validation that approves. */
  entityId?: number
  options?: number
  signer?: PrivateKeyAccount
  /** Signature to send instead of a valid one. */
  approval?: Hex
}

/** Returns the typed data of a deferred action. */
export const toDeferredTypedData = (chainId: number, account: Address, action: DeferredAction) =>
  ({
    domain: { chainId, verifyingContract: account },
    types: {
      DeferredAction: [
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'call', type: 'bytes' },
      ],
    },
    primaryType: 'DeferredAction',
    message: { nonce: action.nonce, deadline: action.deadline ?? 0, call: action.call },
  }) as const

/** Returns the encoded deferred action, which precedes the signature of its operation. */
export async function encodeDeferred(
  chain: TestChain,
  it: Pick<ModularV2TestAccount, 'address' | 'owner' | 'entityId'>,
  action: DeferredAction,
): Promise<Hex> {
  const { entityId = it.entityId, options = 1, deadline = 0, signer = it.owner } = action
  const typed = toDeferredTypedData(chain.chainId, it.address, action)
  const approval = action.approval ?? concat(['0x00', await signer.signTypedData(typed)])
  const locator = concat([numberToHex(entityId, { size: 20 }), numberToHex(options, { size: 1 })])
  const body = concat([locator, numberToHex(deadline, { size: 6 }), action.call])
  const withLength = (part: Hex) => concat([numberToHex(size(part), { size: 4 }), part])
  return concat([withLength(body), withLength(approval)])
}
