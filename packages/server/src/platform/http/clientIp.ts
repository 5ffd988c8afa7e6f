import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import type { Logger } from '../observability/logger.ts'
import { parseAddress } from './parseAddress.ts'

export declare namespace clientIp {
  type Options = {
    /** Number of our proxies that write `X-Forwarded-For`. @default 0 */
    trustedProxies?: number | undefined
    /** Exempts local requests, for development on one machine. @default false */
    exemptLoopback?: boolean | undefined
    /** Logs one warning if a trusted proxy's header cannot be read. */
    logger?: Pick<Logger, 'warn'> | undefined
  }
}

/**
 * Returns a client's key for limits: its IPv4 address, or its IPv6 /64 network. With `trustedProxies` = n, reads the
 * n-th `X-Forwarded-For` entry from the right, else the connection's address. Undefined only for exempt requests.
 */
export function clientIp(context: Context, options: clientIp.Options = {}): string | undefined {
  const { exemptLoopback = false } = options
  const ip = forwardedAddress(context, options) ?? normalize(peerAddress(context))
  if (exemptLoopback && (ip === undefined || isLoopback(ip))) return undefined
  return ip ?? 'unknown'
}

function forwardedAddress(context: Context, { trustedProxies = 0, logger }: clientIp.Options): string | undefined {
  const header = context.req.header('x-forwarded-for')
  // Falls back to the connection's address: health checks and calls within our network arrive without a proxy.
  if (trustedProxies === 0 || header === undefined) return undefined
  const ip = normalize(header.split(',').at(-trustedProxies))
  if (ip === undefined && logger) noteUnreadable(logger, trustedProxies)
  return ip
}

/**
 * Time at which each server last read a proxy header without an IP address, in milliseconds of `performance.now`. A
 * server is identified by its logger.
 */
const unreadable = new WeakMap<object, number>()
/** Time for which `hasUnreadableProxy` reports an unreadable header, in milliseconds. */
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

/** Returns undefined for a request without a connection: its `env` has no `incoming`. */
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
