import type { Chain } from 'viem'
import { chainContracts } from './chainContracts.ts'
import { type Deployment, deployedOn } from './deployedOn.ts'
import type { AccountContracts } from './types.ts'

const table: Deployment = {
  factory: '0x000000e92D78D90000007F0082006FDA09BD5f11',
  implementation: '0x0046000000000151008789797b54fdb500E2a61e',
  missingOn: [421613, 84531],
}

/**
 * Factory and implementation of MultiOwnerModularAccount: what the chain object says, else the table where they are
 * really deployed, else undefined. Without a chain the well-known addresses are given.
 */
export function getModularAccountContracts(chain?: Chain | undefined): AccountContracts | undefined {
  return chainContracts(chain).modularAccount ?? deployedOn(chain, table)
}
