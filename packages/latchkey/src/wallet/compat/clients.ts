import { type Chain, type Client, custom, type Transport } from 'viem'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import { retiredChains, supportedChains } from '../../core/chains/publicChains.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createBundlerClient } from '../client/createBundlerClient.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { BundlerClient, SmartAccountClient } from '../client/types.ts'
import type { GasManagerConfig } from '../middleware/types.ts'

type ChainClient = Client<Transport, Chain>

/** The members of `createSmartAccountClient`, but for how the service is reached. */
export type FromExistingConfig<account extends LatchkeyAccount = LatchkeyAccount> = Omit<
  createSmartAccountClient.Parameters<account>,
  'chain' | 'transport' | 'connection' | 'apiKey' | 'jwt' | 'rpcUrl' | 'gateway'
> & { client: ChainClient }

/**
 * A smart-account client over the requests of a client that is there already.
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
 * A bundler client over the requests of a client that is there already.
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

/** Requests are repeated by the client they go through, and by no other. */
function overClient(client: ChainClient): Transport {
  return custom({ request: client.request }, { retryCount: 0 })
}

/**
 * Members of `createSmartAccountClient` that have a gas manager pay. The first parameter, a client in the published SDK,
 * is not used: the client that sends asks.
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
 * The public chain of an id.
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
