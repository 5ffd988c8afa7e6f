import type { BundlerClient } from '../client/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** The client for node and bundler methods of the active chain. */
export function getBundlerClient(config: LatchkeyConfig): BundlerClient {
  return config.coreStore.getState().bundlerClient
}
