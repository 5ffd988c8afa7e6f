import type { Address, Chain, Hex, TypedDataDefinition } from 'viem'
import type { EntryPointVersion } from '../core/chains/entryPoints.ts'
import type { AccountContracts } from '../core/chains/types.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { createDelegationMethods } from './createDelegationMethods.ts'

/** Inputs of a factory: the owners in the factory's order, and the salt. */
export type Creation = { owners: readonly [Address, ...Address[]]; salt: bigint }

/** Call with every member set. `value` in wei. */
export type WholeCall = { to: Address; data: Hex; value: bigint }

/** Owner that signs (a key, or a contract that checks signatures itself, ERC-1271), and the kind of content signed. */
export type SignedBy = {
  address: Address
  isContract: boolean
  /** `action`: typed data that the account checks without a wrapper. */
  use: 'operation' | 'message' | 'action'
  /** Nonce of the operation, if known. */
  nonce?: bigint | undefined
}

/** Returns the typed data an owner signs for ERC-1271, from the hash of a message. */
export type WrapHash = (parameters: { hash: Hex; address: Address; chainId: number }) => TypedDataDefinition

/** Differences between account contracts; `toAccount` implements the common part. */
export type AccountContract<source extends string = string, version extends string = string> = {
  readonly source: source
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /**
   * Content that the contract expects to be signed (ERC-1271): typed data that wraps the hash, or the bare hash.
   * `none`: no signature is valid.
   */
  readonly erc1271: WrapHash | 'bare' | 'none'
  /**
   * Returns the methods of an account at its owner's own address (EIP-7702). Undefined: a factory creates the account.
   */
  readonly delegate?: ((place: createDelegationMethods.Place) => createDelegationMethods.ReturnType) | undefined
  /**
   * Returns factory and implementation: those of the chain object, then those of public chains, otherwise undefined.
   */
  contractsOn(chain: Chain | undefined): AccountContracts | undefined
  /** Implementations an account may be upgraded from. Undefined: accounts cannot be upgraded. */
  readonly implementationsOn?: ((chain: Chain) => readonly Address[]) | undefined
  /** Returns the new account's owners: the given ones and the signer. @throws `OWNERS_INVALID`. */
  listOwners(named: readonly Address[], signer: Address): Creation['owners']
  /** Salt used for every account instead of the parameter. */
  readonly fixedSalt?: bigint | undefined
  /** Encodes the factory's call data. */
  encodeCreate(creation: Creation): Hex
  /** Predicts the address from the factory (CREATE2, EIP-1014); undefined if only the factory knows it. */
  predictAddress(parameters: Creation & AccountContracts): Address | undefined
  /** Encodes the call data of the account at `account` for one or more calls. */
  encodeCalls(calls: readonly [WholeCall, ...WholeCall[]], account: Address): Hex
  /**
   * Layout of the entry point's nonce keys, for contracts that encode their own data in the key.
   *
   * @default the key itself
   */
  readonly nonceKeys?:
    | {
        /**
         * Returns the entry point's key for the app's key. `readNext` reads the next nonce of a key.
         *
         * @throws `ARGUMENT_INVALID`.
         */
        encode(key: bigint, readNext: (key: bigint) => Promise<bigint>): Promise<bigint>
        decode(encoded: bigint): bigint
      }
    | undefined
  /**
   * Whether a contract owner checks the EIP-191 hash of an operation's hash, like a key.
   *
   * @default false: it checks the bare hash
   */
  readonly isOperationPrefixed?: boolean | undefined
  /**
   * Whether a key signs an operation's hash as it is, which from EntryPoint 0.8 on is a hash of typed data.
   *
   * @default false: a key signs the EIP-191 hash of it
   */
  readonly isOperationBare?: boolean | undefined
  /** Returns whether the account checks typed data without a wrapper. @default false: wrapped according to `erc1271` */
  readonly isUnwrapped?: ((definition: TypedDataDefinition, account: Address) => boolean) | undefined
  /** Adds the contract's encoding around an owner's signature. Undefined: the contract needs no encoding. */
  readonly wrapSignature?: ((signature: Hex, by: SignedBy) => Hex) | undefined
}

/** Returns the error of an unknown contract version. */
export function unknownVersionError(source: string, version: string, known: readonly string[]): BaseError {
  return new BaseError(`Unknown version ${version} of ${source}`, {
    code: 'VERSION_UNKNOWN',
    metaMessages: [`Known versions: ${known.join(', ')}`],
  })
}
