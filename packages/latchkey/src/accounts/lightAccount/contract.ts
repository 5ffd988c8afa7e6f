import type { Address, Hex } from 'viem'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import type { AccountContract } from '../contract.ts'

/** A version of the contract, with what its address is made of. */
export type LightAccountContract = AccountContract<'LightAccount', LightAccountVersion> & {
  /** Call data of the factory. */
  encodeCreate(parameters: { owner: Address; salt: bigint }): Hex
  predictAddress(parameters: { factory: Address; implementation: Address; owner: Address; salt: bigint }): Address
}
