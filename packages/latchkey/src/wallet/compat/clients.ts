import { type Chain, type Client, custom, type Transport } from 'viem'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { retiredChains, supportedChains } from '../../core/chains/publicChains.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createBundlerClient } from '../client/createBundlerClient.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { BundlerClient, SmartAccountClient } from '../client/types.ts'
import type { GasManagerConfig } from '../middleware/types.ts'

type ChainClient = Client<Transport, Chain>

/** Parameters of `createSmartAccountClient` without the connection. */
export type FromExistingConfig<account extends LatchkeyAccount = LatchkeyAccount> = Omit<
  createSmartAccountClient.Parameters<account>,
  'chain' | 'transport' | 'connection' | 'apiKey' | 'jwt' | 'rpcUrl' | 'gateway'
> & { client: ChainClient }

/**
 * Creates a smart-account client that sends its requests through an existing client.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_MISMATCH`.
 *
 * @example
 * ```ts
 * import { createAlchemyPublicRpcClient, createAlchemySmartAccountClientFromExisting } from 'latchkey/compat'
 * import { account, chain } from './config.ts'
 *
 * const rpc = createAlchemyPublicRpcClient({ chain, connectionConfig: { apiKey: 'latchkey-dev' } })
 * const client = createAlchemySmartAccountClientFromExisting({ client: rpc, account })
 * ```
 */
export function createAlchemySmartAccountClientFromExisting<account extends LatchkeyAccount>(
  config: FromExistingConfig<account>,
): SmartAccountClient<account> {
  const { client, ...options } = config
  return createSmartAccountClient({ ...options, chain: client.chain, transport: overClient(client) })
}

/**
 * Creates a bundler client that sends its requests through an existing client.
 *
 * @example
 * ```ts
 * import { createBundlerClientFromExisting } from 'latchkey/compat'
 * import { publicClient } from './config.ts'
 *
 * const bundler = createBundlerClientFromExisting(publicClient)
 * ```
 */
export function createBundlerClientFromExisting(client: ChainClient): BundlerClient {
  return createBundlerClient({ chain: client.chain, transport: overClient(client) })
}

/** Creates a transport without retries, because the existing client already retries. */
function overClient(client: ChainClient): Transport {
  return custom({ request: client.request }, { retryCount: 0 })
}

/**
 * Returns the parameters of `createSmartAccountClient` that enable a gas manager. Ignores the first parameter, a client
 * in the published SDK: the client that sends operations makes the requests.
 *
 * @example
 * ```ts
 * import { alchemyGasManagerMiddleware, createSmartAccountClient } from 'latchkey/compat'
 * import { account, publicClient } from './config.ts'
 *
 * const sponsored = alchemyGasManagerMiddleware(publicClient, { policyId: 'dev-sponsor-all' })
 * const client = createSmartAccountClient({ account, apiKey: 'latchkey-dev', ...sponsored })
 * ```
 */
export function alchemyGasManagerMiddleware(
  _client: unknown,
  config: GasManagerConfig,
): { gasManagerConfig: GasManagerConfig } {
  return { gasManagerConfig: config }
}

/**
 * Returns the public chain with the given id.
 *
 * @throws `CHAIN_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import { getChain } from 'latchkey/compat'
 *
 * console.log(getChain(11_155_111).name)
 * ```
 */
export function getChain(chainId: number): Chain {
  const found = [...supportedChains, ...retiredChains].find(({ id }) => id === chainId)
  if (found) return found
  throw new BaseError('could not find chain', {
    code: 'CHAIN_NOT_FOUND',
    metaMessages: [`Chain id: ${chainId}`, 'Use the chain object of viem, or `defineLatchkeyChain`.'],
  })
}
