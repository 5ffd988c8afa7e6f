import type { Chain } from 'viem'
import type { ChainContracts } from './types.ts'

/** What the chain object itself says of its contracts (`chain.custom.latchkey`); empty for a plain viem chain. */
export function chainContracts(chain: Chain | undefined): ChainContracts {
  const found = chain?.custom?.latchkey
  return typeof found === 'object' && found !== null ? found : {}
}
