import { accountFactories, errorCodes, type FactoryType, modularAccountV2Modules } from 'latchkey-protocol'
import {
  type Address,
  concatHex,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  padHex,
  parseAbi,
  size,
  type TypedDataDefinition,
} from 'viem'
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'

export type WalletCall = { to: Address; data: Hex; value: bigint }
export type Owners = readonly [Address, ...Address[]]

/** Code of an account: how it is called, and what its owner signs. */
export type AccountCode = {
  entryPoint: Address
  /** Name of the operations in the wallet API. */
  operationType: 'user-operation-v060' | 'user-operation-v070'
  encodeCalls(calls: readonly WalletCall[], account: Address): Hex
  /** Returns the entry point's nonce key for a key chosen by a client. @default the same key */
  toNonceKey?(key: bigint): bigint
  /** Prefix of a key's signature over an operation. */
  operationMark: Hex
  /** Prefix of a key's signature over a message. */
  messageMark: Hex
  /**
   * Payload that an owner signs for ERC-1271: typed data that contains the hash, or the message itself (`bare`).
   * `none`: no signature is valid.
   */
  erc1271: ((parameters: { hash: Hex; account: Address; chainId: number }) => TypedDataDefinition) | 'bare' | 'none'
}

/** An account type of the wallet API that a factory creates. */
export type AccountType = AccountCode & {
  factoryType: FactoryType
  hasSeveralOwners: boolean
  encodeCreate(owners: Owners, salt: bigint): Hex
  /** Returns call data of the factory's `getAddress`. */
  encodeGetAddress(owners: Owners, salt: bigint): Hex
}

const lightAbi = parseAbi([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])
const multiOwnerAbi = parseAbi([
  'function createAccount(address[] owners, uint256 salt) returns (address)',
  'function getAddress(address[] owners, uint256 salt) view returns (address)',
])
const modularAbi = parseAbi([
  'function createAccount(uint256 salt, address[] owners) returns (address addr)',
  'function getAddress(uint256 salt, address[] owners) view returns (address)',
  'function execute(address target, uint256 value, bytes data) payable returns (bytes result)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls) payable returns (bytes[] results)',
])

function encodeLightCalls(calls: readonly WalletCall[]): Hex {
  const abi = lightAbi
  const [only] = calls
  if (only && calls.length === 1)
    return encodeFunctionData({ abi, functionName: 'execute', args: [only.to, only.value, only.data] })
  const args = [calls.map((call) => call.to), calls.map((call) => call.value), calls.map((call) => call.data)] as const
  return encodeFunctionData({ abi, functionName: 'executeBatch', args })
}

function encodeModularCalls(calls: readonly WalletCall[]): Hex {
  const abi = modularAbi
  const [only] = calls
  if (only && calls.length === 1)
    return encodeFunctionData({ abi, functionName: 'execute', args: [only.to, only.value, only.data] })
  const args = [calls.map(({ to, value, data }) => ({ target: to, value, data }))] as const
  return encodeFunctionData({ abi, functionName: 'executeBatch', args })
}

const inDomain =
  (name: string, version: string): AccountType['erc1271'] =>
  ({ hash, account, chainId }) => ({
    domain: { name, version, chainId, verifyingContract: account },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: hash },
  })

const modularV2Abi = parseAbi([
  'function createSemiModularAccount(address owner, uint256 salt) returns (address)',
  'function getAddressSemiModular(address owner, uint256 salt) view returns (address)',
  'function createAccount(address owner, uint256 salt, uint32 entityId) returns (address)',
  'function getAddress(address owner, uint256 salt, uint32 entityId) view returns (address)',
])

/** Returns the struct in which a Modular Account v2 or its module wraps a hash. */
const replaySafe =
  (module: Address | undefined): AccountType['erc1271'] =>
  ({ hash, account, chainId }) => ({
    domain: module
      ? { chainId, verifyingContract: module, salt: padHex(account, { size: 32 }) }
      : { chainId, verifyingContract: account },
    types: { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] },
    primaryType: 'ReplaySafeHash',
    message: { hash },
  })

/**
 * A Modular Account v2. A call of the account to itself is used as call data directly, and nonce keys end in options.
 */
const modularV2 = {
  entryPoint: entryPoint07Address,
  operationType: 'user-operation-v070',
  hasSeveralOwners: false,
  encodeCalls: (calls, account) => {
    const own = calls.find(({ to }) => isAddressEqual(to, account))
    if (own && size(own.data) < 4)
      throw new RpcError('An account of this type cannot send anything to itself. Leave the call out.', {
        code: errorCodes.REQUEST_INVALID,
        rpcCode: rpcCodes.invalidParams,
      })
    return own && calls.length === 1 ? own.data : encodeModularCalls(calls)
  },
  // Key of the client (152 bits), entity id 0, option of global validation.
  toNonceKey: (key) => (key << 40n) | 1n,
  operationMark: '0xff00',
  messageMark: '0x0000000000ff00',
} as const satisfies Partial<AccountType>

const light = {
  entryPoint: entryPoint06Address,
  operationType: 'user-operation-v060',
  hasSeveralOwners: false,
  encodeCreate: ([owner], salt) =>
    encodeFunctionData({ abi: lightAbi, functionName: 'createAccount', args: [owner, salt] }),
  encodeGetAddress: ([owner], salt) =>
    encodeFunctionData({ abi: lightAbi, functionName: 'getAddress', args: [owner, salt] }),
  encodeCalls: encodeLightCalls,
  operationMark: '0x',
  messageMark: '0x',
} as const satisfies Partial<AccountType>

const light2 = {
  ...light,
  entryPoint: entryPoint07Address,
  operationType: 'user-operation-v070',
  // The owner may be a key or a contract; this prefix states that a key made the signature.
  operationMark: '0x00',
  messageMark: '0x00',
} as const satisfies Partial<AccountType>

/** The MultiOwnerPlugin, in whose EIP-712 domain modular accounts sign. Its address is the same on every chain. */
const multiOwnerPlugin = '0xcE0000007B008F50d762D155002600004cD6c647'

/** Account types by the names of `creationHint.accountType`. */
const accountTypes: Readonly<Record<string, AccountType>> = {
  'la-v1.0.1': { ...light, factoryType: 'LightAccountV1.0.1', erc1271: 'bare' },
  // The account's EIP-712 domain is malformed on chain.
  'la-v1.0.2': { ...light, factoryType: 'LightAccountV1.0.2', erc1271: 'none' },
  'la-v1.1.0': { ...light, factoryType: 'LightAccountV1.1.0', erc1271: inDomain('LightAccount', '1') },
  'la-v2': { ...light2, factoryType: 'LightAccountV2.0.0', erc1271: inDomain('LightAccount', '2') },
  'la-v2-multi-owner': {
    ...light2,
    factoryType: 'LightAccountV2.0.0-MultiOwner',
    hasSeveralOwners: true,
    encodeCreate: (owners, salt) =>
      encodeFunctionData({ abi: multiOwnerAbi, functionName: 'createAccount', args: [owners, salt] }),
    encodeGetAddress: (owners, salt) =>
      encodeFunctionData({ abi: multiOwnerAbi, functionName: 'getAddress', args: [owners, salt] }),
    erc1271: inDomain('MultiOwnerLightAccount', '2'),
  },
  'ma-v1-multi-owner': {
    ...light,
    factoryType: 'MAv1.0.0-MultiOwner',
    hasSeveralOwners: true,
    encodeCreate: (owners, salt) =>
      encodeFunctionData({ abi: modularAbi, functionName: 'createAccount', args: [salt, owners] }),
    encodeGetAddress: (owners, salt) =>
      encodeFunctionData({ abi: modularAbi, functionName: 'getAddress', args: [salt, owners] }),
    encodeCalls: encodeModularCalls,
    erc1271: ({ hash, account, chainId }) => ({
      domain: {
        name: 'Multi Owner Plugin',
        version: '1.0.0',
        chainId,
        verifyingContract: account,
        salt: padHex(multiOwnerPlugin, { dir: 'right', size: 32 }),
      },
      types: { AlchemyModularAccountMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'AlchemyModularAccountMessage',
      message: { message: hash },
    }),
  },
  'sma-b': {
    ...modularV2,
    factoryType: 'MAv2.0.0-sma-b',
    encodeCreate: ([owner], salt) =>
      encodeFunctionData({ abi: modularV2Abi, functionName: 'createSemiModularAccount', args: [owner, salt] }),
    encodeGetAddress: ([owner], salt) =>
      encodeFunctionData({ abi: modularV2Abi, functionName: 'getAddressSemiModular', args: [owner, salt] }),
    erc1271: replaySafe(undefined),
  },
  'ma-ssv': {
    ...modularV2,
    factoryType: 'MAv2.0.0-ma-ssv',
    encodeCreate: ([owner], salt) =>
      encodeFunctionData({ abi: modularV2Abi, functionName: 'createAccount', args: [owner, salt, 0] }),
    encodeGetAddress: ([owner], salt) =>
      encodeFunctionData({ abi: modularV2Abi, functionName: 'getAddress', args: [owner, salt, 0] }),
    erc1271: replaySafe(modularAccountV2Modules.singleSigner),
  },
}

/** An address that delegates to the code of a Modular Account v2 (EIP-7702), with its own key as the owner. */
export const delegatedAccount: AccountCode = { ...modularV2, erc1271: replaySafe(undefined) }
/** Name of delegated accounts in `creationHint.accountType`. */
export const delegatedType = '7702'

/**
 * Returns the account type of a client's hint.
 *
 * @throws `UNSUPPORTED_ACCOUNT_TYPE`.
 */
export function findAccountType(name: string): AccountType {
  const found = Object.hasOwn(accountTypes, name) ? accountTypes[name] : undefined
  if (found) return found
  throw new RpcError(
    `Accounts of the type ${JSON.stringify(name.slice(0, 64))} are not served here. Use one of: ${[...Object.keys(accountTypes), delegatedType].join(', ')}.`,
    { code: errorCodes.UNSUPPORTED_ACCOUNT_TYPE, rpcCode: rpcCodes.invalidParams },
  )
}

export function accountTypeWith(factoryType: string): AccountType {
  const found = Object.values(accountTypes).find((type) => type.factoryType === factoryType)
  return found ?? findAccountType(factoryType)
}

/** Returns a dummy with the format and length of a key's signature, for estimates. */
export function dummySignature(mark: Hex): Hex {
  return concatHex([
    mark,
    '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c',
  ])
}

export function accountFactory(type: AccountType): Address {
  return accountFactories[type.factoryType]
}
