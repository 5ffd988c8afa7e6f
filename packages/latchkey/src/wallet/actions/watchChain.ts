import type { Chain } from 'viem'
import type { LatchkeyConfig } from '../store/types.ts'

/** Calls the listener when the active chain changes. Returns an unsubscribe. */
export function watchChain(config: LatchkeyConfig): (listener: (chain: Chain) => void) => () => void {
  return (listener) => config.coreStore.subscribe((state) => state.chain, listener)
}
