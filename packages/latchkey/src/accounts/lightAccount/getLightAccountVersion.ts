import { type Chain, isAddressEqual, slice, zeroAddress } from 'viem'
import { getLightAccountContracts, getMultiOwnerLightAccountContracts } from '../../core/chains/accountContracts.ts'
import type { AccountContracts, LightAccountVersion } from '../../core/chains/types.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { LatchkeyAccount } from '../types.ts'
import { lightAccountVersions } from './versions.ts'

export declare namespace getLightAccountVersion {
  type Parameters = {
    account: LatchkeyAccount<'LightAccount' | 'MultiOwnerLightAccount', LightAccountVersion>
    /** Default: the account's. */
    chain?: Chain | undefined
  }
  type ReturnType = LightAccountVersion
  type ErrorType = BaseError
}

/**
 * Version of an account as the chain has it: by its implementation, or by its factory while it is undeployed. The
 * account object itself says the version it was made with, which an upgrade leaves behind.
 *
 * Throws 'Could not determine {source} version for chain {id}' (`IMPLEMENTATION_UNKNOWN`).
 */
export async function getLightAccountVersion(
  parameters: getLightAccountVersion.Parameters,
): Promise<getLightAccountVersion.ReturnType> {
  const { account, chain = account.client.chain } = parameters
  const implementation = await account.getImplementationAddress()
  const isDeployed = !isAddressEqual(implementation, zeroAddress)
  const factory = isDeployed ? undefined : slice(await account.getFactoryInitCode(), 0, 20)
  const found = lightAccountVersions.find((version) => {
    const contracts = contractsOf(account.source, version, chain)
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

function contractsOf(
  source: 'LightAccount' | 'MultiOwnerLightAccount',
  version: LightAccountVersion,
  chain: Chain | undefined,
): AccountContracts | undefined {
  if (source === 'LightAccount') return getLightAccountContracts({ version, chain })
  return version === 'v2.0.0' ? getMultiOwnerLightAccountContracts({ version, chain }) : undefined
}
