import { getBundlerClient, watchBundlerClient } from '../../wallet/actions/chain.ts'
import type { BundlerClient } from '../../wallet/client/types.ts'
import { useConfigValue } from '../query/useConfigValue.ts'

export declare namespace useBundlerClient {
  type ReturnType = BundlerClient
}

/**
 * Returns the RPC client of the active chain, with node and bundler methods.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useBundlerClient } from 'latchkey/react'
 *
 * export function Height() {
 *   const client = useBundlerClient()
 *   const show = async () => alert(await client.getBlockNumber())
 *   return <button onClick={show}>Block number</button>
 * }
 * ```
 */
export function useBundlerClient(): useBundlerClient.ReturnType {
  return useConfigValue('useBundlerClient', watchBundlerClient, getBundlerClient)
}
