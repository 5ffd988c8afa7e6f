import { type Chain, createClient, type Transport } from 'viem'
import { bundlerActions } from './actions/bundlerActions.ts'
import { readActions } from './actions/readActions.ts'
import { pickConnection } from './pickConnection.ts'
import { rpcTransport } from './rpcTransport.ts'
import type { BundlerClient, Connection } from './types.ts'

export declare namespace createBundlerClient {
  type Parameters = Connection & {
    chain: Chain
    /** Connection to the service; its members may also be given next to `chain`. */
    connection?: Connection | undefined
    /** Replaces a connection. */
    transport?: Transport | undefined
  }
  type ReturnType = BundlerClient
}

/**
 * Creates a viem client for node and bundler methods over one URL.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { createBundlerClient } from 'latchkey'
 * import { chain } from './config.ts'
 *
 * const client = createBundlerClient({ chain, connection: { apiKey: 'latchkey-dev' } })
 * const entryPoints = await client.getSupportedEntryPoints()
 * ```
 */
export function createBundlerClient(parameters: createBundlerClient.Parameters): createBundlerClient.ReturnType {
  const { chain, connection = pickConnection(parameters), transport = rpcTransport(connection) } = parameters
  return createClient({ chain, transport, name: 'Latchkey bundler client', type: 'bundlerClient' })
    .extend(readActions)
    .extend(bundlerActions)
}
