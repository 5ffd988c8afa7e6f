import type { Chain } from 'viem'
import { BaseError } from '../errors/BaseError.ts'
import { hostedRpcBases } from './hostedRpcBases.ts'

export declare namespace getRpcUrl {
  type Parameters = {
    chain: Chain
    /** Used as it is, and wins over everything. */
    rpcUrl?: string | undefined
    /** Becomes the last part of the path. */
    apiKey?: string | undefined
  }
  type ReturnType = string
  type ErrorType = BaseError
}

/**
 * URL of the JSON-RPC service that answers both node and bundler methods: the parameter, else the chain's own
 * `rpcUrls.alchemy`, else the hosted table, followed by `/{apiKey}`. Throws `RPC_URL_INVALID`.
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
