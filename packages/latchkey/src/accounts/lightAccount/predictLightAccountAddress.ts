import type { Address } from 'viem'
import type { LightAccountVersion } from '../../core/chains/types.ts'
import { predictAddress } from '../predictAddress.ts'
import { lightAccountContract } from './versions.ts'

export declare namespace predictLightAccountAddress {
  type Parameters = predictAddress.Options & {
    owner: Address
    /** @default 'v1.1.0' */
    version?: LightAccountVersion | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Computes the current or future address of a LightAccount without a request (CREATE2, EIP-1014). Applies the salt in
 * every version, unlike `toLightAccount`, which always uses salt 0 for `v1.0.1` and `v1.0.2`.
 *
 * @throws `VERSION_UNKNOWN`, `FACTORY_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { predictLightAccountAddress } from 'latchkey/accounts'
 * import { chain, owner } from './config.ts'
 *
 * const address = predictLightAccountAddress({ owner: owner.address, version: 'v2.0.0', chain })
 * console.log(address)
 * ```
 */
export function predictLightAccountAddress(
  parameters: predictLightAccountAddress.Parameters,
): predictLightAccountAddress.ReturnType {
  const { owner, version = 'v1.1.0', ...rest } = parameters
  return predictAddress({ ...rest, contract: lightAccountContract(version), owners: [owner] })
}
