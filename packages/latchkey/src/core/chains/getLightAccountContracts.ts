import { chainContracts } from './chainContracts.ts'
import { type Deployment, deployedOn, type VersionOn } from './deployedOn.ts'
import { retiredChainIds } from './supportedChainIds.ts'
import type { AccountContracts, LightAccountVersion } from './types.ts'

/** Chains that came after v1.0.2. */
const newChainIds = [80002, 252, 2523, 7777777, 999999999]

const table: { readonly [version in LightAccountVersion]: Deployment } = {
  'v1.0.1': {
    factory: '0x000000893A26168158fbeaDD9335Be5bC96592E2',
    implementation: '0xc1B2fC4197c9187853243E6e4eb5A4aF8879a1c0',
    missingOn: [...newChainIds, 11155420, 421614, 84532],
  },
  'v1.0.2': {
    factory: '0x00000055C0b4fA41dde26A74435ff03692292FBD',
    implementation: '0x5467b1947F47d0646704EB801E075e72aeAe8113',
    missingOn: newChainIds,
  },
  'v1.1.0': {
    factory: '0x00004EC70002a32400f8ae005A26081065620D20',
    implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
    missingOn: [5, 84531],
  },
  'v2.0.0': {
    factory: '0x0000000000400CdFef5E2714E63d8040b700BC24',
    implementation: '0x8E8e658E22B12ada97B402fF0b044D6A325013C7',
    missingOn: retiredChainIds,
  },
}

export declare namespace getLightAccountContracts {
  type Parameters = VersionOn<LightAccountVersion>
  type ReturnType = AccountContracts | undefined
}

/**
 * Factory and implementation of a LightAccount version: what the chain object says, else the table where they are
 * really deployed, else undefined.
 */
export function getLightAccountContracts({
  version,
  chain,
}: getLightAccountContracts.Parameters): getLightAccountContracts.ReturnType {
  return chainContracts(chain).lightAccount?.[version] ?? deployedOn(chain, table[version])
}
