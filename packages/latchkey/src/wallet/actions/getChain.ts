import type { Chain } from 'viem'
import type { LatchkeyConfig } from '../store/types.ts'

/** The active chain. */
export function getChain(config: LatchkeyConfig): Chain {
  return config.coreStore.getState().chain
}
