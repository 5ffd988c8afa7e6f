import type { Address, Chain } from 'viem'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { predictAddress } from '../predictAddress.ts'
import { lightAccountContract } from './versions.ts'

export declare namespace predictLightAccountAddress {
  type Parameters = {
    owner: Address
    /** Default 0. The factory's salt, which `toLightAccount` leaves at 0 for `v1.0.1` and `v1.0.2`. */
    salt?: bigint | undefined
    /** Default `v1.1.0`. */
    version?: LightAccountVersion | undefined
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
 * Address a LightAccount has or will have, without asking a chain (CREATE2, EIP-1014). Throws `VERSION_UNKNOWN`,
 * `FACTORY_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export function predictLightAccountAddress(
  parameters: predictLightAccountAddress.Parameters,
): predictLightAccountAddress.ReturnType {
  const { owner, version = 'v1.1.0', ...rest } = parameters
  return predictAddress({ ...rest, contract: lightAccountContract(version), owners: [owner] })
}
