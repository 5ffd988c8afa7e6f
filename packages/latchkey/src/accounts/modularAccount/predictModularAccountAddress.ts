import type { Address, Chain } from 'viem'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { listOwners } from '../listOwners.ts'
import { predictAddress } from '../predictAddress.ts'
import { modularContract } from './modularContract.ts'

export declare namespace predictModularAccountAddress {
  type Parameters = {
    /** Owners in any order and letter case. Duplicates and the zero address are ignored. */
    owners: readonly Address[]
    /** @default 0n */
    salt?: bigint | undefined
    /** Chain whose factory is used. @default public chains, which have the same factory */
    chain?: Chain | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Computes the current or future address of a MultiOwnerModularAccount without a request (CREATE2, EIP-1014).
 *
 * @throws `FACTORY_NOT_FOUND`, `OWNERS_INVALID`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { predictModularAccountAddress } from 'latchkey/accounts'
 * import { chain, owner } from './config.ts'
 *
 * const address = predictModularAccountAddress({ owners: [owner.address], chain })
 * console.log(address)
 * ```
 */
export function predictModularAccountAddress(
  parameters: predictModularAccountAddress.Parameters,
): predictModularAccountAddress.ReturnType {
  const { owners, salt, chain } = parameters
  // Any plugin address works here, because the account's address does not depend on it.
  const contract = modularContract(getPluginAddress({ name: 'MultiOwnerPlugin' }))
  return predictAddress({ contract, owners: listOwners(owners), salt, chain })
}
