import { useSyncExternalStore } from 'react'
import { getBundlerClient, watchBundlerClient } from '../../wallet/actions/chain.ts'
import type { BundlerClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'

export declare namespace useBundlerClient {
  type ReturnType = BundlerClient
}

/** The RPC client of the active chain: node and bundler methods. */
export function useBundlerClient(): useBundlerClient.ReturnType {
  const { config } = useLatchkeyContext('useBundlerClient')
  const read = () => getBundlerClient(config)
  return useSyncExternalStore(watchBundlerClient(config), read, read)
}
