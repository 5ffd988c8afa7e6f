import type { BundlerClient } from '../client/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** Calls the listener when another chain brings another client. Returns an unsubscribe. */
export function watchBundlerClient(config: LatchkeyConfig): (listener: (client: BundlerClient) => void) => () => void {
  return (listener) => config.coreStore.subscribe((state) => state.bundlerClient, listener)
}
