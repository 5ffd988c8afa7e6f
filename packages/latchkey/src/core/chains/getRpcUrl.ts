import type { Chain } from 'viem'
import { BaseError } from '../errors/BaseError.ts'

export declare namespace getRpcUrl {
  type Parameters = {
    chain: Chain
    /** URL to use unchanged; takes precedence over the chain and the table. */
    rpcUrl?: string | undefined
    /** Appended as the last part of the path. */
    apiKey?: string | undefined
  }
  type ReturnType = string
}

/**
 * Returns the URL of the JSON-RPC service for node and bundler methods: the parameter `rpcUrl` unchanged, or the
 * chain's `rpcUrls.alchemy` or the hosted table's URL, followed by `/{apiKey}`.
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
  const base = chain.rpcUrls.alchemy?.http[0] ?? hostedRpcBase(chain.id)
  if (base) return `${base.replace(/\/+$/, '')}/${apiKey}`
  throw new BaseError(
    'chain must include an alchemy rpc url. See `defineLatchkeyChain`, or give the connection an `rpcUrl`.',
    { code: 'RPC_URL_INVALID', metaMessages: [`Chain: ${chain.name} (${chain.id})`] },
  )
}

/** Network names of the hosted provider, by chain id. */
export const hostedNetworks: { readonly [chainId: number]: string } = {
  1: 'eth-mainnet',
  5: 'eth-goerli',
  10: 'opt-mainnet',
  137: 'polygon-mainnet',
  420: 'opt-goerli',
  8453: 'base-mainnet',
  42161: 'arb-mainnet',
  80001: 'polygon-mumbai',
  80002: 'polygon-amoy',
  84531: 'base-goerli',
  84532: 'base-sepolia',
  421613: 'arb-goerli',
  421614: 'arb-sepolia',
  11155111: 'eth-sepolia',
  11155420: 'opt-sepolia',
}

export function hostedRpcBase(chainId: number): string | undefined {
  const name = hostedNetworks[chainId]
  return name && `https://${name}.g.alchemy.com/v2`
}
