import type { Chain } from 'viem'
import { BaseError } from '../errors/BaseError.ts'

export declare namespace getRpcUrl {
  type Parameters = {
    chain: Chain
    /** Used as it is; takes precedence over the chain and the table. */
    rpcUrl?: string | undefined
    /** Becomes the last part of the path. */
    apiKey?: string | undefined
  }
  type ReturnType = string
  type ErrorType = BaseError
}

/**
 * URL of the JSON-RPC service for node and bundler methods: the parameter, else the chain's own `rpcUrls.alchemy`, else
 * the hosted table, followed by `/{apiKey}`.
 *
 * @throws `RPC_URL_INVALID`.
 *
 * @example
 * ```ts
 * import { getRpcUrl, sepolia } from 'latchkey/chains'
 *
 * const url = getRpcUrl({ chain: sepolia, apiKey: 'my-key' })
 * console.log(url)
 * ```
 */
export function getRpcUrl(parameters: getRpcUrl.Parameters): getRpcUrl.ReturnType {
  const { chain, rpcUrl, apiKey = '' } = parameters
  if (rpcUrl) return rpcUrl
  const base = chain.rpcUrls.alchemy?.http[0] ?? hostedRpcBases[chain.id]
  if (base) return `${base.replace(/\/+$/, '')}/${apiKey}`
  throw new BaseError(
    'chain must include an alchemy rpc url. See `defineLatchkeyChain`, or give the connection an `rpcUrl`.',
    { code: 'RPC_URL_INVALID', metaMessages: [`Chain: ${chain.name} (${chain.id})`] },
  )
}

/** JSON-RPC bases of the hosted provider, by chain id; `/{apiKey}` is appended. */
export const hostedRpcBases: { readonly [chainId: number]: string } = {
  1: 'https://eth-mainnet.g.alchemy.com/v2',
  5: 'https://eth-goerli.g.alchemy.com/v2',
  10: 'https://opt-mainnet.g.alchemy.com/v2',
  137: 'https://polygon-mainnet.g.alchemy.com/v2',
  420: 'https://opt-goerli.g.alchemy.com/v2',
  8453: 'https://base-mainnet.g.alchemy.com/v2',
  42161: 'https://arb-mainnet.g.alchemy.com/v2',
  80001: 'https://polygon-mumbai.g.alchemy.com/v2',
  80002: 'https://polygon-amoy.g.alchemy.com/v2',
  84531: 'https://base-goerli.g.alchemy.com/v2',
  84532: 'https://base-sepolia.g.alchemy.com/v2',
  421613: 'https://arb-goerli.g.alchemy.com/v2',
  421614: 'https://arb-sepolia.g.alchemy.com/v2',
  11155111: 'https://eth-sepolia.g.alchemy.com/v2',
  11155420: 'https://opt-sepolia.g.alchemy.com/v2',
}
