import type { Chain } from 'viem'
import { chainContracts } from '../../core/chains/chainContracts.ts'
import type { AccountContracts } from '../../core/chains/types.ts'

const wellKnown: AccountContracts = {
  factory: '0x000000e92D78D90000007F0082006FDA09BD5f11',
  implementation: '0x0046000000000151008789797b54fdb500E2a61e',
}

/** Where both were found deployed. */
const chainIds: ReadonlySet<number> = new Set([
  1, 5, 10, 137, 252, 420, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
])

/** Factory and implementation of MultiOwnerModularAccount: what the chain object says, else the table, else undefined. */
export function getModularAccountContracts(chain: Chain | undefined): AccountContracts | undefined {
  const found = chainContracts(chain).modularAccount
  if (found) return found
  return chain && !chainIds.has(chain.id) ? undefined : wellKnown
}
