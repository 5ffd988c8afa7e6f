import type { Chain } from 'viem'
import { chainContracts } from './chainContracts.ts'
import { isKnownChain } from './supportedChainIds.ts'
import type { AccountContracts, LightAccountVersion } from './types.ts'

const table: { readonly [version in LightAccountVersion]?: AccountContracts } = {
  'v1.1.0': {
    factory: '0x00004EC70002a32400f8ae005A26081065620D20',
    implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
  },
  'v2.0.0': {
    factory: '0x0000000000400CdFef5E2714E63d8040b700BC24',
    implementation: '0x8E8e658E22B12ada97B402fF0b044D6A325013C7',
  },
}

export declare namespace getLightAccountContracts {
  type Parameters = {
    version: LightAccountVersion
    /** Without a chain the well-known addresses are given. */
    chain?: Chain | undefined
  }
  type ReturnType = AccountContracts | undefined
}

/** Factory and implementation of a LightAccount version: what the chain object says, else the table, else undefined. */
export function getLightAccountContracts(
  parameters: getLightAccountContracts.Parameters,
): getLightAccountContracts.ReturnType {
  const { version, chain } = parameters
  const found = chainContracts(chain).lightAccount?.[version]
  if (found) return found
  return chain && !isKnownChain(chain.id) ? undefined : table[version]
}
