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

/** viem client with a chain, for reads only. */
export type ReadClient = Client<Transport, Chain, JsonRpcAccount | LocalAccount | undefined>

/** Call that an account makes. */
export type Call = {
  to: Address
  /** @default '0x' */
  data?: Hex | undefined
  /** Value in wei. @default 0n */
  value?: bigint | undefined
}

/** EIP-7702 authorization in JSON-RPC form, as in the member `eip7702Auth` of an operation. */
export type Eip7702Authorization = {
  chainId: Hex
  /** Code to which the signer's address delegates. */
  address: Address
  nonce: Hex
  r: Hex
  s: Hex
  yParity: Hex
}

/** Delegation of an owner's own address to an account's code (EIP-7702). */
export type Delegation = {
  /** Code for the next authorization. */
  readonly implementation: Address
  /**
   * Reads the code to which the address currently delegates. Undefined if there is no delegation.
   *
   * @throws `DELEGATE_UNKNOWN` if the code is not this account's.
   */
  readDelegate(): Promise<Address | undefined>
  /**
   * Returns an authorization without a signature, for gas estimates. Undefined if the address is already delegated.
   *
   * @throws `DELEGATE_UNKNOWN`.
   */
  getStubAuthorization(): Promise<Eip7702Authorization | undefined>
  /** Signs an authorization with the owner's key. @throws `DELEGATE_UNKNOWN`, `SIGNATURE_UNSUPPORTED`. */
  signAuthorization(): Promise<Eip7702Authorization>
}

/** Members that Latchkey adds to viem's accounts. */
export type AccountMembers<source extends string = string, version extends string = string> = {
  /** Type of the contract, such as `LightAccount`. */
  readonly source: source
  /** Contract version with which the account object was created. */
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /** Delegation of an EIP-7702 account. Undefined if a factory creates the account. */
  readonly delegation?: Delegation | undefined
  getSigner(): SmartAccountOwner
  /** Returns factory address and factory call data, concatenated; `0x` once the account is deployed. */
  getInitCode(): Promise<Hex>
  /**
   * Returns the EntryPoint's nonce key (ERC-4337, 192 bits) for a key of the app.
   *
   * @throws `ARGUMENT_INVALID`.
   */
  toNonceKey(key: bigint): Promise<bigint>
  /** Returns the app's key in a nonce. */
  readNonceKey(nonce: bigint): bigint
  /** Returns factory address and factory call data like `getInitCode`, even after the deployment. */
  getFactoryInitCode(): Promise<Hex>
  isDeployed(): Promise<boolean>
  /** Returns the address in the ERC-1967 slot; zero before the account is deployed. */
  getImplementationAddress(): Promise<Address>
  /**
   * Encodes the call data that changes the account's implementation.
   *
   * @throws `IMPLEMENTATION_UNKNOWN`, `UPGRADE_UNSUPPORTED`, `STORAGE_SLOT_FAILED`, `ADDRESS_INVALID`,
   * `ARGUMENT_INVALID`.
   */
  encodeUpgradeToAndCall(upgrade: { upgradeToAddress: Address; upgradeToInitData: Hex }): Promise<Hex>
  /** Signs a message. Before the deployment, adds the ERC-6492 wrapper, which `signMessage` never does. */
  signMessageWith6492(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedDataWith6492<
    const typedData extends TypedData | Record<string, unknown>,
    primaryType extends keyof typedData | 'EIP712Domain' = keyof typedData,
  >(definition: TypedDataDefinition<typedData, primaryType>): Promise<Hex>
  /**
   * Signs the hash of a user operation in the format that the contract verifies. `content`: the same operation, for an
   * owner whose service inspects it.
   */
  signUserOperationHash(hash: Hex, content?: OperationContent | undefined): Promise<Hex>
  /** Always rejects, because a contract cannot sign transactions. @throws `TRANSACTION_SIGNING_UNSUPPORTED`. */
  signTransaction(): Promise<never>
}

/** Smart account of any type: a viem `SmartAccount` with Latchkey's members. */
export type LatchkeyAccount<source extends string = string, version extends string = string> = SmartAccount<
  SmartAccountImplementation<Abi, '0.6' | '0.7' | '0.8' | '0.9', AccountMembers<source, version>, false>
> & {
  /** Signs a digest for ERC-1271, without the ERC-6492 wrapper. */
  sign(parameters: { hash: Hex }): Promise<Hex>
}
