import type { Address, Hex, TypedDataDefinition } from 'viem'
import type { EntryPointVersion } from '../core/chains/types.ts'
import type { Call } from './types.ts'

/** All that differs from one account contract to the next. `toAccount` has the rest. */
export type AccountContract<source extends string = string, version extends string = string> = {
  readonly source: source
  readonly version: version
  readonly entryPointVersion: EntryPointVersion
  /** A signature of the right form for gas estimation; the contract must be able to recover a key from it. */
  readonly dummySignature: Hex
  /** Call data for one call or for several. */
  encodeCalls(calls: readonly [Call, ...Call[]]): Hex
  /** What the contract expects around the owner's ECDSA signature. */
  wrapSignature(signature: Hex): Hex
  /** What the owner signs for ERC-1271 when the hash of a message is `hash`. */
  typedDataOf(parameters: { hash: Hex; address: Address; chainId: number }): TypedDataDefinition
}
