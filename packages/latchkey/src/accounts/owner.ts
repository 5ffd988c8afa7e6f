import type {
  Account,
  Address,
  Chain,
  Hex,
  LocalAccount,
  SignableMessage,
  Transport,
  TypedDataDefinition,
  WalletClient,
} from 'viem'
import type { SmartAccount } from 'viem/account-abstraction'

/** What an account needs of its owner: an address and two kinds of signature. */
export type SmartAccountOwner = {
  /** Sent to the provider as a header; see `signerTypes` of the wire. */
  readonly signerType: string
  /** The owner is a contract, which judges signatures itself (ERC-1271). Default: it is a key. */
  readonly isContract?: boolean | undefined
  getAddress(): Promise<Address>
  /** EIP-191. 65 bytes, `v` 27 or 28; what the contract accepts if the owner is one. */
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  /** EIP-712. As `signMessage`. */
  signTypedData(definition: TypedDataDefinition): Promise<Hex>
  /** Signs a digest as it is. A contract must have it: it is asked about the bare hash of a user operation. */
  sign?: ((parameters: { hash: Hex }) => Promise<Hex>) | undefined
  /** A signature of the right form for gas estimation. Default: one of a key. */
  getStubSignature?: (() => Promise<Hex>) | undefined
}

/**
 * An owner; or a viem local account, such as `privateKeyToAccount(…)` or `signer.toViemAccount()`; or a viem wallet
 * client with an account; or a smart account, deployed on the same chain. An account that a contract owns asks it while
 * an operation is validated, which bundlers of public chains may refuse (ERC-7562).
 */
export type OwnerParameter =
  | SmartAccountOwner
  | LocalAccount
  | SmartAccount
  | WalletClient<Transport, Chain | undefined, Account>
