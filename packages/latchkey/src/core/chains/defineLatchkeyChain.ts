import type { Chain } from 'viem'
import type { ChainContracts, LatchkeyChain } from './types.ts'

export declare namespace defineLatchkeyChain {
  type Parameters = ChainContracts & {
    /** Any viem chain. */
    chain: Chain
    /** Base of the service that answers node and bundler methods, without the API key. */
    rpcBaseUrl: string
  }
  type ReturnType = LatchkeyChain
}

/** A viem chain with the RPC base and the addresses Latchkey needs, for chains the built-in table does not know. */
export function defineLatchkeyChain(parameters: defineLatchkeyChain.Parameters): defineLatchkeyChain.ReturnType {
  const { chain, rpcBaseUrl, ...contracts } = parameters
  return {
    ...chain,
    rpcUrls: { ...chain.rpcUrls, alchemy: { http: [rpcBaseUrl] } },
    custom: { ...chain.custom, latchkey: contracts },
  }
}
