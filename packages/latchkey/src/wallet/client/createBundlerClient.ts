import { type Chain, createClient, type Transport } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { bundlerActions } from './actions/bundlerActions.ts'
import { readActions } from './actions/readActions.ts'
import { pickConnection } from './pickConnection.ts'
import { redactErrors } from './redactErrors.ts'
import { rpcTransport } from './rpcTransport.ts'
import type { BundlerClient, Connection } from './types.ts'

export declare namespace createBundlerClient {
  type Parameters = Connection & {
    chain: Chain
    /** Connection to the service. Its members may also be passed next to `chain`. */
    connection?: Connection | undefined
    /** Transport that replaces a connection. */
    transport?: Transport | undefined
  }
  type ReturnType = BundlerClient
}

/**
 * Creates a viem client for node and bundler methods of one service URL.
 *
 * @throws `CONFIG_INVALID`, `RPC_URL_INVALID`.
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
  const { chain, connection = pickConnection(parameters) } = parameters
  const transport = parameters.transport ?? redactErrors(rpcTransport(withKey(connection, chain)))
  return createClient({ chain, transport, name: 'Latchkey bundler client', type: 'bundlerClient' })
    .extend(readActions)
    .extend(bundlerActions)
}

function withKey(connection: Connection, chain: Chain): Connection {
  const { apiKey, jwt, rpcUrl } = connection
  if (apiKey || jwt || rpcUrl) return connection
  throw new BaseError('A connection needs an apiKey, a jwt or an rpcUrl.', {
    code: 'CONFIG_INVALID',
    metaMessages: [`Chain: ${chain.name} (${chain.id})`],
  })
}
