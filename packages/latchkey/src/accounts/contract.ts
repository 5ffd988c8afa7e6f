import type { Address, Chain, Hex, TypedDataDefinition } from 'viem'
import type { EntryPointVersion } from '../core/chains/entryPoints.ts'
import type { AccountContracts } from '../core/chains/types.ts'
import { BaseError } from '../core/errors/BaseError.ts'

/** What a factory makes an account from: the owners in the factory's order, and a number. */
export type Creation = { owners: readonly [Address, ...Address[]]; salt: bigint }

/** A call with every member set. `value` in wei. */
export type WholeCall = { to: Address; data: Hex; value: bigint }

/** The owner that signs: a key, or a contract that checks signatures itself (ERC-1271). */
export type SignedBy = { address: Address; isContract: boolean }

/** The typed data an owner signs for ERC-1271, from the hash of a message. */
export type WrapHash = (parameters: { hash: Hex; address: Address; chainId: number }) => TypedDataDefinition

/** All that differs from one account contract to the next; `toAccount` has the rest. */
export type AccountContract<source extends string = string, version extends string = string> = {
  readonly source: source
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /**
   * What the contract expects a signature of (ERC-1271): typed data that wraps the hash, or the bare hash. `none`: no
   * signature passes.
   */
  readonly erc1271: WrapHash | 'bare' | 'none'
  /** Factory and implementation: those the chain names, else those of public chains, else undefined. */
  contractsOn(chain: Chain | undefined): AccountContracts | undefined
  /** Implementations an account may be upgraded from. Undefined: accounts cannot be upgraded. */
  readonly implementationsOn?: ((chain: Chain) => readonly Address[]) | undefined
  /** Owners of the new account: those named and the one that signs. @throws `OWNERS_INVALID`. */
  listOwners(named: readonly Address[], signer: Address): Creation['owners']
  /** The salt every account has, in place of the parameter. */
  readonly fixedSalt?: bigint | undefined
  /** Call data of the factory. */
  encodeCreate(creation: Creation): Hex
  /** Address the factory gives the account (CREATE2, EIP-1014); undefined where only the factory knows it. */
  predictAddress(parameters: Creation & AccountContracts): Address | undefined
  /** Call data of the account for one call or for several. */
  encodeCalls(calls: readonly [WholeCall, ...WholeCall[]]): Hex
  /** Adds what the contract expects around an owner's signature. Undefined: nothing. */
  readonly wrapSignature?: ((signature: Hex, by: SignedBy) => Hex) | undefined
}

/** The error of a version that a contract does not have. */
export function unknownVersionError(source: string, version: string, known: readonly string[]): BaseError {
  return new BaseError(`Unknown version ${version} of ${source}`, {
    code: 'VERSION_UNKNOWN',
    metaMessages: [`Known versions: ${known.join(', ')}`],
  })
}
