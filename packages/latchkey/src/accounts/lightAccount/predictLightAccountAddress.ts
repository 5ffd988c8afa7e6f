import { type Address, type Chain, getAddress } from 'viem'
import { getLightAccountContracts } from '../../core/chains/getLightAccountContracts.ts'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { lightAccountContract } from './versions.ts'

export declare namespace predictLightAccountAddress {
  type Parameters = {
    owner: Address
    /** Default 0. */
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
 * `FACTORY_NOT_FOUND`.
 */
export function predictLightAccountAddress(
  parameters: predictLightAccountAddress.Parameters,
): predictLightAccountAddress.ReturnType {
  const { salt = 0n, version = 'v1.1.0', chain } = parameters
  const contract = lightAccountContract(version)
  const known = getLightAccountContracts({ version, chain })
  const factory = parameters.factoryAddress ?? known?.factory
  const implementation = parameters.implementationAddress ?? known?.implementation
  if (!factory || !implementation) {
    throw new BaseError(`No factory of LightAccount ${version} is known.`, {
      code: 'FACTORY_NOT_FOUND',
      metaMessages: ['Pass `factoryAddress` and `implementationAddress`.'],
    })
  }
  return contract.predictAddress({ factory, implementation, owner: getAddress(parameters.owner), salt })
}
