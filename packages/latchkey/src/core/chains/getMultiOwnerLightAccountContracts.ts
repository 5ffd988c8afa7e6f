import { chainContracts } from './chainContracts.ts'
import { type Deployment, deployedOn, type VersionOn } from './deployedOn.ts'
import { retiredChainIds } from './supportedChainIds.ts'
import type { AccountContracts, MultiOwnerLightAccountVersion } from './types.ts'

const table: { readonly [version in MultiOwnerLightAccountVersion]: Deployment } = {
  'v2.0.0': {
    factory: '0x000000000019d2Ee9F2729A65AfE20bb0020AefC',
    implementation: '0xd2c27F9eE8E4355f71915ffD5568cB3433b6823D',
    missingOn: retiredChainIds,
  },
}

export declare namespace getMultiOwnerLightAccountContracts {
  type Parameters = VersionOn<MultiOwnerLightAccountVersion>
  type ReturnType = AccountContracts | undefined
}

/**
 * Factory and implementation of a MultiOwnerLightAccount version: what the chain object says, else the table where they
 * are really deployed, else undefined.
 */
export function getMultiOwnerLightAccountContracts({
  version,
  chain,
}: getMultiOwnerLightAccountContracts.Parameters): getMultiOwnerLightAccountContracts.ReturnType {
  return chainContracts(chain).multiOwnerLightAccount?.[version] ?? deployedOn(chain, table[version])
}
