import type {
  Abi,
  Address,
  Chain,
  Client,
  Hex,
  JsonRpcAccount,
  LocalAccount,
  SignableMessage,
  Transport,
  TypedData,
  TypedDataDefinition,
} from 'viem'
import type { SmartAccount, SmartAccountImplementation } from 'viem/account-abstraction'
import type { EntryPointVersion } from '../core/chains/entryPoints.ts'
import type { OperationContent } from '../core/signedContent.ts'
import type { SmartAccountOwner } from './owner.ts'

/** viem client with a chain; used for reads only. */
export type ReadClient = Client<Transport, Chain, JsonRpcAccount | LocalAccount | undefined>

/** Call made by an account. */
export type Call = {
  to: Address
  /** @default '0x' */
  data?: Hex | undefined
  /** Value in wei. @default 0n */
  value?: bigint | undefined
}

/** Authorization of EIP-7702 in JSON-RPC form, as the member `eip7702Auth` of an operation. */
export type Eip7702Authorization = {
  chainId: Hex
  /** Code that the signer's address delegates to. */
  address: Address
  nonce: Hex
  r: Hex
  s: Hex
  yParity: Hex
}

/** Delegation of an owner's own address to an account's code (EIP-7702). */
export type Delegation = {
  /** Code that the next authorization delegates to. */
  readonly implementation: Address
  /**
   * Reads the code that the address delegates to now. Undefined: none.
   *
   * @throws `DELEGATE_UNKNOWN` if it is not this account's.
   */
  readDelegate(): Promise<Address | undefined>
  /**
   * Returns an authorization for estimates, without a signature. Undefined once the address is delegated.
   *
   * @throws `DELEGATE_UNKNOWN`.
   */
  getStubAuthorization(): Promise<Eip7702Authorization | undefined>
  /** Signs an authorization by the owner's key. @throws `DELEGATE_UNKNOWN`, `SIGNATURE_UNSUPPORTED`. */
  signAuthorization(): Promise<Eip7702Authorization>
}

/** Members of Latchkey's accounts in addition to viem's. */
export type AccountMembers<source extends string = string, version extends string = string> = {
  /** Kind of contract, for example `LightAccount`. */
  readonly source: source
  /** Contract version the account was created with. */
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /** Delegation of an account of EIP-7702. Undefined: a factory creates the account. */
  readonly delegation?: Delegation | undefined
  getSigner(): SmartAccountOwner
  /** Returns factory address and factory call, concatenated; `0x` once the account is deployed. */
  getInitCode(): Promise<Hex>
  /**
   * Returns the entry point's nonce key (ERC-4337, 192 bits) for a key chosen by the app.
   *
   * @throws `ARGUMENT_INVALID`.
   */
  toNonceKey(key: bigint): Promise<bigint>
  /** Returns the app's key within a nonce. */
  readNonceKey(nonce: bigint): bigint
  /** Returns factory address and factory call as `getInitCode` does, even if the account is deployed. */
  getFactoryInitCode(): Promise<Hex>
  isDeployed(): Promise<boolean>
  /** Returns the address in the ERC-1967 slot; zero while undeployed. */
  getImplementationAddress(): Promise<Address>
  /**
   * Encodes the call data that changes the account's implementation.
   *
   * @throws `IMPLEMENTATION_UNKNOWN`, `UPGRADE_UNSUPPORTED`, `STORAGE_SLOT_FAILED`, `ADDRESS_INVALID`,
   * `ARGUMENT_INVALID`.
   */
  encodeUpgradeToAndCall(upgrade: { upgradeToAddress: Address; upgradeToInitData: Hex }): Promise<Hex>
  /** Signs with the ERC-6492 wrapper while the account is undeployed. The plain `signMessage` never wraps. */
  signMessageWith6492(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedDataWith6492<
    const typedData extends TypedData | Record<string, unknown>,
    primaryType extends keyof typedData | 'EIP712Domain' = keyof typedData,
  >(definition: TypedDataDefinition<typedData, primaryType>): Promise<Hex>
  /**
   * Signs the hash of a user operation in the form the contract checks. `content`: the same operation, for an owner
   * whose service reads the content that it signs.
   */
  signUserOperationHash(hash: Hex, content?: OperationContent | undefined): Promise<Hex>
  /** Always rejects, because contracts cannot sign transactions. @throws `TRANSACTION_SIGNING_UNSUPPORTED`. */
  signTransaction(): Promise<never>
}

/** Smart account of any kind: a viem `SmartAccount` with Latchkey's members. */
export type LatchkeyAccount<source extends string = string, version extends string = string> = SmartAccount<
  SmartAccountImplementation<Abi, '0.6' | '0.7' | '0.8' | '0.9', AccountMembers<source, version>, false>
> & {
  /** Signs a digest for ERC-1271, without the ERC-6492 wrapper. */
  sign(parameters: { hash: Hex }): Promise<Hex>
}
