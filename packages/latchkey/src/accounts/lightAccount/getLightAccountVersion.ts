import { type Chain, isAddressEqual, slice, zeroAddress } from 'viem'
import { getLightAccountContracts, getMultiOwnerLightAccountContracts } from '../../core/chains/accountContracts.ts'
import type { AccountContracts, LightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { LatchkeyAccount } from '../types.ts'
import { lightAccountVersions } from './versions.ts'

export declare namespace getLightAccountVersion {
  type Parameters = {
    account: LatchkeyAccount<'LightAccount' | 'MultiOwnerLightAccount', LightAccountVersion>
    /** @default the account's chain */
    chain?: Chain | undefined
  }
  type ReturnType = LightAccountVersion
}

/**
 * Returns the current version of an account on the chain: the version of its implementation, or before the deployment,
 * the version of its factory. The account object's `version` does not change after an upgrade.
 *
 * @throws `IMPLEMENTATION_UNKNOWN`, `STORAGE_SLOT_FAILED`, `FACTORY_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import { getLightAccountVersion } from 'latchkey/accounts'
 * import { account } from './config.ts'
 *
 * const version = await getLightAccountVersion({ account })
 * console.log(version)
 * ```
 */
export async function getLightAccountVersion(
  parameters: getLightAccountVersion.Parameters,
): Promise<getLightAccountVersion.ReturnType> {
  const { account, chain = account.client.chain } = parameters
  const implementation = await account.getImplementationAddress()
  const isDeployed = !isAddressEqual(implementation, zeroAddress)
  const factory = isDeployed ? undefined : slice(await account.getFactoryInitCode(), 0, 20)
  const found = lightAccountVersions.find((version) => {
    const contracts = getContracts(account.source, version, chain)
    if (!contracts) return false
    return factory
      ? isAddressEqual(contracts.factory, factory)
      : isAddressEqual(contracts.implementation, implementation)
  })
  if (found) return found
  throw new BaseError(`Could not determine ${account.source} version for chain ${chain?.id}`, {
    code: 'IMPLEMENTATION_UNKNOWN',
    metaMessages: [`Account: ${account.address}`, `Implementation: ${implementation}`],
  })
}

function getContracts(
  source: 'LightAccount' | 'MultiOwnerLightAccount',
  version: LightAccountVersion,
  chain: Chain | undefined,
): AccountContracts | undefined {
  if (source === 'LightAccount') return getLightAccountContracts({ version, chain })
  return version === 'v2.0.0' ? getMultiOwnerLightAccountContracts({ version, chain }) : undefined
}
