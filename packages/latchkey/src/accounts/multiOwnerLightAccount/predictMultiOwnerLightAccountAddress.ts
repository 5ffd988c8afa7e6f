import type { Address } from 'viem'
import type { MultiOwnerLightAccountVersion } from '../../core/chains/types.ts'
import { listOwners } from '../listOwners.ts'
import { predictAddress } from '../predictAddress.ts'
import { multiOwnerLightAccountContract } from './multiOwnerLightAccountContract.ts'

export declare namespace predictMultiOwnerLightAccountAddress {
  type Parameters = predictAddress.Options & {
    /** All owners, in any order. Duplicates and the zero address are ignored. */
    owners: readonly Address[]
    /** @default 'v2.0.0' */
    version?: MultiOwnerLightAccountVersion | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Computes the current or future address of a MultiOwnerLightAccount without a request (CREATE2, EIP-1014).
 *
 * @throws `OWNERS_INVALID`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `VERSION_UNKNOWN`, `FACTORY_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import { predictMultiOwnerLightAccountAddress } from 'latchkey/accounts'
 * import { chain, owner } from './config.ts'
 *
 * const address = predictMultiOwnerLightAccountAddress({ owners: [owner.address], chain })
 * console.log(address)
 * ```
 */
export function predictMultiOwnerLightAccountAddress(
  parameters: predictMultiOwnerLightAccountAddress.Parameters,
): predictMultiOwnerLightAccountAddress.ReturnType {
  const { owners, version = 'v2.0.0', ...rest } = parameters
  return predictAddress({ ...rest, contract: multiOwnerLightAccountContract(version), owners: listOwners(owners) })
}
