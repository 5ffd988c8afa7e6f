import { type Chain, createClient, type Transport } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { bundlerActions } from './actions/bundlerActions.ts'
import { readActions } from './actions/readActions.ts'
import { rpcTransport } from './rpcTransport.ts'
import type { BundlerClient, Connection } from './types.ts'

export declare namespace createBundlerClient {
  type Parameters = {
    chain: Chain
    /** One of the two. */
    connection?: Connection | undefined
    transport?: Transport | undefined
  }
  type ReturnType = BundlerClient
  type ErrorType = BaseError
}

/**
 * A viem client for node and bundler methods over one URL.
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
  const { chain, connection = {}, transport = rpcTransport(connection) } = parameters
  return createClient({ chain, transport, name: 'Latchkey bundler client', type: 'bundlerClient' })
    .extend(readActions)
    .extend(bundlerActions)
}
