import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import type { Logger } from '../observability/logger.ts'
import { parseAddress } from './parseAddress.ts'

export declare namespace clientIp {
  type Options = {
    /** Number of our proxies that write `X-Forwarded-For`. @default 0 */
    trustedProxies?: number | undefined
    /** For development on one machine: local requests have no address. @default false */
    exemptLoopback?: boolean | undefined
    /** Logs one warning if a trusted proxy's header cannot be read. */
    logger?: Pick<Logger, 'warn'> | undefined
  }
}

/**
 * Returns a request's client address as a key for limits: an IPv4 address, or an IPv6 address's /64 network, which one
 * customer owns. Trusts `X-Forwarded-For` only as far as our own proxies wrote it: with `trustedProxies` = n, the n-th
 * entry from the right. If that entry is not an address, uses the connection's address; without a connection, all such
 * requests share one key, so omitting the header lifts no limit. Returns undefined only for exempt requests.
 */
export function clientIp(context: Context, options: clientIp.Options = {}): string | undefined {
  const { exemptLoopback = false } = options
  const ip = forwardedAddress(context, options) ?? normalize(peerAddress(context))
  if (exemptLoopback && (ip === undefined || isLoopback(ip))) return undefined
  return ip ?? 'unknown'
}

function forwardedAddress(context: Context, { trustedProxies = 0, logger }: clientIp.Options): string | undefined {
  const header = context.req.header('x-forwarded-for')
  // Health checks and calls within our own network arrive without a proxy.
  if (trustedProxies === 0 || header === undefined) return undefined
  const ip = normalize(header.split(',').at(-trustedProxies))
  if (ip === undefined && logger) noteUnreadable(logger, trustedProxies)
  return ip
}

/** When each server, known by its logger, last read a header without an address, in milliseconds of `performance.now`. */
const unreadable = new WeakMap<object, number>()
/** Milliseconds that an unreadable header is reported, so that a single odd request is not reported for ever. */
const reportedMs = 3_600_000

function noteUnreadable(logger: Pick<Logger, 'warn'>, trustedProxies: number): void {
  const isFirst = !unreadable.has(logger)
  unreadable.set(logger, performance.now())
  if (isFirst)
    logger.warn(
      { trustedProxies },
      'X-Forwarded-For has no address where LATCHKEY_TRUSTED_PROXIES expects one: clients share the limits of the proxy',
    )
}

/** Returns whether a trusted proxy's header could not be read in the last hour, by the server with this logger. */
export function hasUnreadableProxy(logger: object): boolean {
  const at = unreadable.get(logger)
  return at !== undefined && performance.now() - at < reportedMs
}

/** Requests without a connection have no bindings. */
function peerAddress(context: Context): string | undefined {
  return context.env?.incoming ? getConnInfo(context).remote.address : undefined
}

function isLoopback(ip: string): boolean {
  return ip.startsWith('127.') || ip === '0:0:0:0::/64'
}

function normalize(address: string | undefined): string | undefined {
  const ip = parseAddress(address ?? '')
  return ip?.includes(':') ? `${ip.split(':').slice(0, 4).join(':')}::/64` : ip
}
