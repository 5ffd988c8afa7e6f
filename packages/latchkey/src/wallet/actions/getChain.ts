import type { Chain } from 'viem'
import type { LatchkeyConfig } from '../store/types.ts'

export declare namespace getChain {
  type ReturnType = Chain
}

/** The active chain. */
export function getChain(config: LatchkeyConfig): getChain.ReturnType {
  return config.coreStore.getState().chain
}
