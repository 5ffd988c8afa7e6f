import type { Address, Chain, Hex, TypedDataDefinition } from 'viem'
import type { EntryPointVersion } from '../core/chains/entryPoints.ts'
import type { AccountContracts } from '../core/chains/types.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { createDelegationMethods } from './createDelegationMethods.ts'

/** Factory arguments: the owners in the factory's order, and the salt. */
export type Creation = { owners: readonly [Address, ...Address[]]; salt: bigint }

/** Call with all members set. `value` is in wei. */
export type WholeCall = { to: Address; data: Hex; value: bigint }

/**
 * Signing owner, and the purpose of the signature. The owner is a key, or a contract that verifies signatures itself
 * (ERC-1271).
 */
export type SignedBy = {
  address: Address
  isContract: boolean
  /** `action`: typed data that the account verifies without a wrapper. */
  use: 'operation' | 'message' | 'action'
  /** Nonce of the operation, if known. */
  nonce?: bigint | undefined
}

/** Wraps the hash of a message in the typed data that an owner signs for ERC-1271. */
export type WrapHash = (parameters: { hash: Hex; address: Address; chainId: number }) => TypedDataDefinition

/** Properties of an account contract that differ between contracts. `toAccount` implements the rest. */
export type AccountContract<source extends string = string, version extends string = string> = {
  readonly source: source
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /**
   * Form of signatures for ERC-1271. Owners sign typed data that wraps the hash, or the hash itself (`bare`). `none`:
   * the contract accepts no signatures.
   */
  readonly erc1271: WrapHash | 'bare' | 'none'
  /**
   * Returns the methods of an account at its owner's own address (EIP-7702). Undefined if a factory creates the
   * account.
   */
  readonly delegate?: ((place: createDelegationMethods.Place) => createDelegationMethods.ReturnType) | undefined
  /**
   * Returns the factory and implementation of the chain object, or those of public chains. Returns undefined if there
   * are none.
   */
  contractsOn(chain: Chain | undefined): AccountContracts | undefined
  /** Returns the implementations from which accounts can be upgraded. Undefined if accounts cannot be upgraded. */
  readonly implementationsOn?: ((chain: Chain) => readonly Address[]) | undefined
  /** Returns the owners of a new account: the given owners and the signer. @throws `OWNERS_INVALID`. */
  listOwners(named: readonly Address[], signer: Address): Creation['owners']
  /** Salt of every account, which replaces the `salt` parameter. */
  readonly fixedSalt?: bigint | undefined
  encodeCreate(creation: Creation): Hex
  /** Predicts the address from the factory (CREATE2, EIP-1014). Undefined if only the factory can compute it. */
  predictAddress(parameters: Creation & AccountContracts): Address | undefined
  /** Encodes the call data of the account at `account` for one or more calls. */
  encodeCalls(calls: readonly [WholeCall, ...WholeCall[]], account: Address): Hex
  /**
   * Layout of EntryPoint nonce keys, for contracts that encode their own data in the key.
   *
   * @default the app's key
   */
  readonly nonceKeys?:
    | {
        /**
         * Returns the EntryPoint's nonce key for the app's key. `readNext` reads the next nonce of a key.
         *
         * @throws `ARGUMENT_INVALID`.
         */
        encode(key: bigint, readNext: (key: bigint) => Promise<bigint>): Promise<bigint>
        decode(encoded: bigint): bigint
      }
    | undefined
  /**
   * Whether a contract owner verifies the EIP-191 hash of an operation's hash, like a key.
   *
   * @default false: a contract owner verifies the operation's hash itself
   */
  readonly isOperationPrefixed?: boolean | undefined
  /**
   * Whether a key signs the operation's hash without an EIP-191 prefix. Since EntryPoint 0.8, this hash is an EIP-712
   * hash.
   *
   * @default false: a key signs the EIP-191 hash of the operation's hash
   */
  readonly isOperationBare?: boolean | undefined
  /**
   * Checks whether the account verifies typed data without a wrapper.
   * @default false: wraps typed data according to `erc1271`
   */
  readonly isUnwrapped?: ((definition: TypedDataDefinition, account: Address) => boolean) | undefined
  /** Adds the contract's encoding to an owner's signature. Undefined if the contract needs none. */
  readonly wrapSignature?: ((signature: Hex, by: SignedBy) => Hex) | undefined
}

/** Creates the error for an unknown contract version. */
export function unknownVersionError(source: string, version: string, known: readonly string[]): BaseError {
  return new BaseError(`Unknown version ${version} of ${source}`, {
    code: 'VERSION_UNKNOWN',
    metaMessages: [`Known versions: ${known.join(', ')}`],
  })
}
