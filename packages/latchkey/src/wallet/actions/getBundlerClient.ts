import type { BundlerClient } from '../client/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

export declare namespace getBundlerClient {
  type ReturnType = BundlerClient
}

/** The client for node and bundler methods of the active chain. */
export function getBundlerClient(config: LatchkeyConfig): getBundlerClient.ReturnType {
  return config.coreStore.getState().bundlerClient
}
