import type { Address, Chain } from 'viem'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { listOwners } from '../listOwners.ts'
import { predictAddress } from '../predictAddress.ts'
import { modularContract } from './modularContract.ts'

export declare namespace predictModularAccountAddress {
  type Parameters = {
    /** Any order and letter case; each counts once, the zero address not at all. */
    owners: readonly Address[]
    /** Default 0. */
    salt?: bigint | undefined
    /** Whose factory to go by. Default: the one of public chains. */
    chain?: Chain | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
  type ErrorType = BaseError
}

/**
 * Address a MultiOwnerModularAccount has or will have, without asking a chain (CREATE2, EIP-1014). Throws
 * `FACTORY_NOT_FOUND`, `OWNERS_INVALID`, `ADDRESS_INVALID`.
 */
export function predictModularAccountAddress(
  parameters: predictModularAccountAddress.Parameters,
): predictModularAccountAddress.ReturnType {
  const { owners, salt, chain } = parameters
  // The plugin has no part in the address.
  const contract = modularContract(getPluginAddress({ name: 'MultiOwnerPlugin' }))
  return predictAddress({ contract, owners: listOwners(owners), salt, chain })
}
