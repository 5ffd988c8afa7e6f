import type { Chain } from 'viem'
import type { BundlerClient } from '../client/types.ts'
import { chainNotFound, onChain } from '../store/createCoreStore.ts'
import type { LatchkeyConfig } from '../store/types.ts'
import { createKnownAccounts } from './createAccount.ts'

export declare namespace getChain {
  type ReturnType = Chain
}

/**
 * Returns the active chain.
 *
 * @example
 * ```ts
 * import { getChain } from 'latchkey'
 * import { config } from './config.ts'
 *
 * console.log(getChain(config).name)
 * ```
 */
export function getChain(config: LatchkeyConfig): getChain.ReturnType {
  return config.coreStore.getState().chain
}

/**
 * Activates another configured chain, and creates the user's known accounts on that chain.
 *
 * @throws `CHAIN_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import { setChain } from 'latchkey'
 * import { chain, config } from './config.ts'
 *
 * await setChain(config, chain)
 * ```
 */
export async function setChain(config: LatchkeyConfig, chain: Chain): Promise<void> {
  const { connections, chain: current } = config.coreStore.getState()
  const connection = connections.get(chain.id)
  if (!connection) throw chainNotFound(chain)
  if (current.id === chain.id) return
  config.coreStore.setState(onChain(connections, connection.chain))
  createKnownAccounts(config)
}

/**
 * Calls the listener when the active chain changes. Returns an unsubscribe function.
 *
 * @example
 * ```ts
 * import { watchChain } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const unsubscribe = watchChain(config)((chain) => console.log(chain.name))
 * unsubscribe()
 * ```
 */
export function watchChain(config: LatchkeyConfig): (listener: (chain: Chain) => void) => () => void {
  return (listener) => config.coreStore.subscribe((state) => state.chain, listener)
}

export declare namespace getBundlerClient {
  type ReturnType = BundlerClient
}

/**
 * Returns the active chain's client for node and bundler methods.
 *
 * @example
 * ```ts
 * import { getBundlerClient } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const blockNumber = await getBundlerClient(config).getBlockNumber()
 * ```
 */
export function getBundlerClient(config: LatchkeyConfig): getBundlerClient.ReturnType {
  return config.coreStore.getState().bundlerClient
}

/**
 * When the active chain changes, calls the listener with the new chain's client. Returns an unsubscribe function.
 *
 * @example
 * ```ts
 * import { watchBundlerClient } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const unsubscribe = watchBundlerClient(config)((client) => console.log(client.chain.name))
 * unsubscribe()
 * ```
 */
export function watchBundlerClient(config: LatchkeyConfig): (listener: (client: BundlerClient) => void) => () => void {
  return (listener) => config.coreStore.subscribe((state) => state.bundlerClient, listener)
}
