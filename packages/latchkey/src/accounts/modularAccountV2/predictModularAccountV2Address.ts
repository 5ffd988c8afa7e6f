import type { Address } from 'viem'
import type { ModularAccountV2FactoryMode } from '../../core/chains/types.ts'
import { predictAddress } from '../predictAddress.ts'
import { modularAccountV2Contract } from './modularAccountV2Contract.ts'

export declare namespace predictModularAccountV2Address {
  type Parameters = predictAddress.Options & {
    owner: Address
    /** @default 'default' */
    mode?: Exclude<ModularAccountV2FactoryMode, 'webauthn'> | undefined
    /** Entity id of the owner in the `single-signer` mode. @default 0 */
    entityId?: number | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Computes the address of a Modular Account v2 without a request.
 *
 * @throws `FACTORY_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { predictModularAccountV2Address } from 'latchkey/accounts'
 *
 * const address = predictModularAccountV2Address({ owner: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })
 * console.log(address)
 * ```
 */
export function predictModularAccountV2Address(
  parameters: predictModularAccountV2Address.Parameters,
): predictModularAccountV2Address.ReturnType {
  const { owner, mode = 'default', entityId = 0, ...rest } = parameters
  const entity = { entityId, isGlobalValidation: true, hasExecutionHooks: false, hookData: [] }
  const contract = modularAccountV2Contract({ mode, creationEntityId: entityId, entity })
  return predictAddress({ ...rest, contract, owners: [owner] })
}
