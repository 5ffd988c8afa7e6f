import type { Client } from 'viem'
import { RpcError } from '../../accounts/errors/RpcError.ts'
import { getChainContracts } from '../../core/chains/defineLatchkeyChain.ts'
import { BaseError } from '../../core/errors/BaseError.ts'

// Whether a client's service is Latchkey's own gateway, whose combined methods need fewer requests.

export type GatewaySupport = 'yes' | 'no' | 'unknown'

/** Detection results by URL, or by transport if there is no URL. They last until the page is unloaded. */
const byUrl = new Map<string, boolean>()
const byTransport = new WeakMap<object, boolean>()

/**
 * Returns whether the service is Latchkey's gateway. A detected result takes precedence over the connection's
 * `gateway`, which takes precedence over the chain's. Returns `unknown` if none of them is set.
 */
export function gatewaySupport({ chain, transport }: Pick<Client, 'chain' | 'transport'>): GatewaySupport {
  const found = typeof transport.url === 'string' ? byUrl.get(transport.url) : byTransport.get(transport)
  const named = typeof transport.gateway === 'boolean' ? transport.gateway : getChainContracts(chain).gateway
  const known = found ?? named
  return known === undefined ? 'unknown' : known ? 'yes' : 'no'
}

export function rememberGateway({ transport }: Pick<Client, 'transport'>, isGateway: boolean): void {
  if (typeof transport.url === 'string') byUrl.set(transport.url, isGateway)
  else byTransport.set(transport, isGateway)
}

const unknownMethodCodes: readonly (number | undefined)[] = [-32601, -32004]

/**
 * Checks whether an error means that the service lacks the method, as defined by JSON-RPC 2.0 (§ 5.1) and EIP-1474, or
 * as reported by common providers.
 */
export function isUnknownMethod(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  if (error.code === 'METHOD_NOT_SUPPORTED') return true
  if (!(error instanceof RpcError)) return false
  return unknownMethodCodes.includes(error.rpcCode) || /unsupported method|method .*not /i.test(error.text)
}
