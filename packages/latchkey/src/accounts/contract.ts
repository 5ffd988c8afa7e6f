import type { Address, Chain, Hex, TypedDataDefinition } from 'viem'
import type { EntryPointVersion } from '../core/chains/entryPoints.ts'
import type { AccountContracts } from '../core/chains/types.ts'

/** What an account is made of beside its contracts: the owners as the factory wants them, and a number. */
export type Creation = { owners: readonly [Address, ...Address[]]; salt: bigint }

/** One call, nothing of it left open. `value` in wei. */
export type WholeCall = { to: Address; data: Hex; value: bigint }

/** Who signs: a key, or a contract that judges signatures itself (ERC-1271). */
export type SignedBy = { address: Address; isContract: boolean }

/** Makes what the owner signs for ERC-1271 out of the hash of a message. */
export type WrapHash = (parameters: { hash: Hex; address: Address; chainId: number }) => TypedDataDefinition

/** All that differs from one account contract to the next. `toAccount` has the rest. */
export type AccountContract<source extends string = string, version extends string = string> = {
  readonly source: source
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /**
   * How the contract checks a signature (ERC-1271): of typed data that wraps the hash, of the bare hash, or in no way
   * an owner could satisfy.
   */
  readonly erc1271: WrapHash | 'bare' | 'none'
  /** Factory and implementation: what the chain says, else where they are on public chains, else undefined. */
  contractsOn(chain: Chain | undefined): AccountContracts | undefined
  /** Implementations an account may be upgraded from; left out where accounts cannot be upgraded. */
  readonly implementationsOn?: ((chain: Chain) => readonly Address[]) | undefined
  /** Owners of the new account, of those named and the one that signs. Throws `OWNERS_INVALID`. */
  listOwners(named: readonly Address[], signer: Address): Creation['owners']
  /** The salt accounts have whatever salt is asked for. */
  readonly fixedSalt?: bigint | undefined
  /** Call data of the factory. */
  encodeCreate(creation: Creation): Hex
  /** Address the factory gives the account (CREATE2, EIP-1014); undefined where only the factory can tell. */
  predictAddress(parameters: Creation & AccountContracts): Address | undefined
  /** Call data of the account for one call or for several. */
  encodeCalls(calls: readonly [WholeCall, ...WholeCall[]]): Hex
  /** What the contract expects around an owner's signature. Left out: nothing. */
  readonly wrapSignature?: ((signature: Hex, by: SignedBy) => Hex) | undefined
}
