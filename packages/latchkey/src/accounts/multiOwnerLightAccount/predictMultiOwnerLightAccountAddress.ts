import type { Address, Chain } from 'viem'
import type { MultiOwnerLightAccountVersion } from '../../core/chains/types.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { listOwners } from '../listOwners.ts'
import { predictAddress } from '../predictAddress.ts'
import { multiOwnerLightAccountContract } from './multiOwnerLightAccountContract.ts'

export declare namespace predictMultiOwnerLightAccountAddress {
  type Parameters = {
    /** All of them, in any order; duplicates and the zero address do not count. */
    owners: readonly Address[]
    /** Default 0. */
    salt?: bigint | undefined
    /** Default `v2.0.0`. */
    version?: MultiOwnerLightAccountVersion | undefined
    /** Whose contracts to go by. Default: those of public chains. */
    chain?: Chain | undefined
    /** Default: the chain's. */
    factoryAddress?: Address | undefined
    /** Implementation the factory gives its accounts. Default: the chain's. */
    implementationAddress?: Address | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
  type ErrorType = BaseError
}

/**
 * Address a MultiOwnerLightAccount has or will have, without asking a chain (CREATE2, EIP-1014).
 * Throws `OWNERS_INVALID`, `ADDRESS_INVALID`, `VERSION_UNKNOWN`, `FACTORY_NOT_FOUND`.
 */
export function predictMultiOwnerLightAccountAddress(
  parameters: predictMultiOwnerLightAccountAddress.Parameters,
): predictMultiOwnerLightAccountAddress.ReturnType {
  const { owners, version = 'v2.0.0', ...rest } = parameters
  return predictAddress({ ...rest, contract: multiOwnerLightAccountContract(version), owners: listOwners(owners) })
}
