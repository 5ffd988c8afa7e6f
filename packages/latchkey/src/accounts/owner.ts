import { signerTypes } from 'latchkey-protocol'
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
import { BaseError } from '../core/errors/BaseError.ts'
import type { SignedContent, SignUserOperationParameters } from '../core/signedContent.ts'

/** Owner of an account, with its address and signing methods. */
export type SmartAccountOwner = {
  /** Signer type to send as a header; see `signerTypes` of `latchkey-protocol`. */
  readonly signerType: string
  /** Whether the owner is a contract, which verifies signatures itself (ERC-1271). @default false: a key */
  readonly isContract?: boolean | undefined
  getAddress(): Promise<Address>
  /**
   * Signs a message (EIP-191). Returns 65 bytes with `v` 27 or 28. A contract owner returns a signature in its own
   * format.
   */
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  /**
   * Signs typed data (EIP-712). Returns the same format as `signMessage`. `content`: the message or typed data whose
   * hash the account's wrapper contains.
   */
  signTypedData(definition: TypedDataDefinition, content?: SignedContent | undefined): Promise<Hex>
  /**
   * Signs a user operation, for keys whose service inspects it. Returns the same format as `signMessage`.
   *
   * @default `signMessage` of the operation's hash
   */
  signUserOperation?: ((parameters: SignUserOperationParameters) => Promise<Hex>) | undefined
  /**
   * Signs a digest without further hashing. Required for a contract owner, which verifies the hash of a user operation
   * itself.
   */
  sign?: ((parameters: { hash: Hex }) => Promise<Hex>) | undefined
  /** Whether the owner can sign only messages, like a paper key during its creation. @default false */
  readonly signsMessagesOnly?: boolean | undefined
  /** Signs an EIP-7702 authorization. Required for accounts at the owner's own address. */
  signAuthorization?: LocalAccount['signAuthorization'] | undefined
  /** Returns a dummy signature of realistic length for gas estimation. @default a key's dummy signature */
  getStubSignature?: (() => Promise<Hex>) | undefined
  /**
   * Gas that the verification of an operation needs at least, for signatures whose verification bundlers underestimate.
   *
   * @default the bundler's estimate
   */
  readonly minVerificationGas?: bigint | undefined
}

/**
 * Owner of an account: a `SmartAccountOwner`; a viem local account, such as `privateKeyToAccount(…)` or
 * `signer.toViemAccount()`; a viem wallet client with an account; or a smart account deployed on the same chain.
 *
 * An account with a contract owner calls the owner contract during validation. Bundlers of public chains may refuse
 * such calls (ERC-7562).
 */
export type OwnerParameter =
  | SmartAccountOwner
  | LocalAccount
  | SmartAccount
  | WalletClient<Transport, Chain | undefined, Account>

/**
 * Converts an owner parameter to a `SmartAccountOwner`. Returns a `SmartAccountOwner` unchanged.
 *
 * @throws `OWNER_NOT_FOUND`.
 */
export function toOwner(owner: OwnerParameter): SmartAccountOwner {
  if (typeof owner?.signMessage !== 'function' || ('request' in owner && !owner.account)) throw missingOwnerError()
  if ('signerType' in owner) return owner
  if ('request' in owner) {
    const { account } = owner
    return {
      signerType: signerTypes.local,
      getAddress: async () => account.address,
      signMessage: ({ message }) => owner.signMessage({ account, message }),
      signTypedData: (definition) => owner.signTypedData({ ...definition, account }),
      signAuthorization: 'signAuthorization' in account ? account.signAuthorization : undefined,
    }
  }
  const { sign } = owner
  const embedded = isEmbedded(owner) ? owner.contentSigner : undefined
  return {
    signerType:
      owner.type === 'local' && owner.source === signerTypes.embedded ? signerTypes.embedded : signerTypes.local,
    signUserOperation: embedded?.signUserOperation,
    isContract: owner.type === 'smart',
    getAddress: async () => owner.address,
    signMessage: (parameters) => owner.signMessage(parameters),
    signTypedData: embedded?.signTypedData ?? ((definition) => owner.signTypedData(definition)),
    sign: sign && ((parameters) => sign(parameters)),
    signAuthorization: owner.type === 'local' ? owner.signAuthorization : undefined,
    getStubSignature: owner.type === 'smart' ? () => owner.getStubSignature() : undefined,
  }
}

/** viem account of a signer whose service inspects the content. */
type EmbeddedAccount = LocalAccount & { contentSigner: Pick<SmartAccountOwner, 'signTypedData' | 'signUserOperation'> }

function isEmbedded(owner: LocalAccount | SmartAccount): owner is EmbeddedAccount {
  return 'contentSigner' in owner
}

function missingOwnerError(): BaseError {
  return new BaseError('An account needs an owner that signs for it.', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: ['Pass `owner`: a viem account, a wallet client with an account, or a signer.'],
  })
}
