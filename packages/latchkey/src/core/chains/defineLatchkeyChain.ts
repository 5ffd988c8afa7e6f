import type { Chain } from 'viem'
import type { ChainContracts, LatchkeyChain } from './types.ts'

export declare namespace defineLatchkeyChain {
  type Parameters = ChainContracts & {
    /** Any viem chain. */
    chain: Chain
    /** Base URL of the service for node and bundler methods, without the API key. */
    rpcBaseUrl: string
  }
  type ReturnType = LatchkeyChain
}

/**
 * Defines a viem chain with the RPC base and the addresses Latchkey needs, for chains missing from the built-in tables.
 *
 * @example
 * ```ts
 * import { defineLatchkeyChain } from 'latchkey/chains'
 * import { foundry } from 'viem/chains'
 *
 * export const myChain = defineLatchkeyChain({
 *   chain: foundry,
 *   rpcBaseUrl: 'http://localhost:4103/v2',
 *   entryPoints: { '0.6.0': { address: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789' } },
 * })
 * ```
 */
export function defineLatchkeyChain(parameters: defineLatchkeyChain.Parameters): defineLatchkeyChain.ReturnType {
  const { chain, rpcBaseUrl, ...contracts } = parameters
  return {
    ...chain,
    rpcUrls: { ...chain.rpcUrls, alchemy: { http: [rpcBaseUrl] } },
    custom: { ...chain.custom, latchkey: contracts },
  }
}

/**
 * Returns the contracts of a chain object (`chain.custom.latchkey`). Returns an empty object for a plain viem chain.
 */
export function getChainContracts(chain: Chain | undefined): ChainContracts {
  const found = chain?.custom?.latchkey
  return typeof found === 'object' && found !== null ? found : {}
}
