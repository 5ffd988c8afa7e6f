import { isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

export declare namespace clientIp {
  type Options = {
    /** Number of our proxies that write `X-Forwarded-For`. @default 0 */
    trustedProxies?: number | undefined
    /** For development on one machine: local requests have no address. @default false */
    exemptLoopback?: boolean | undefined
  }
}

/**
 * Returns a request's client address as a key for limits: an IPv4 address, or an IPv6 address's /64 network, which one
 * customer owns. Trusts `X-Forwarded-For` only as far as our own proxies wrote it: with `trustedProxies` = n, the n-th
 * entry from the right. If that is no address, the connection's own counts; without a connection all such requests
 * share one key, so leaving the header out lifts no limit. Undefined only for exempt requests.
 */
export function clientIp(context: Context, options: clientIp.Options = {}): string | undefined {
  const { trustedProxies = 0, exemptLoopback = false } = options
  const forwarded = trustedProxies > 0 ? (context.req.header('x-forwarded-for') ?? '').split(',') : []
  const ip = normalize(forwarded.at(-trustedProxies)?.trim()) ?? normalize(peerAddress(context))
  if (exemptLoopback && (ip === undefined || isLoopback(ip))) return undefined
  return ip ?? 'unknown'
}

/** Requests without a connection have no bindings. */
function peerAddress(context: Context): string | undefined {
  return context.env?.incoming ? getConnInfo(context).remote.address : undefined
}

function isLoopback(ip: string): boolean {
  return ip.startsWith('127.') || ip === '0:0:0:0::/64'
}

function normalize(address: string | undefined): string | undefined {
  const ip = address?.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  if (ip === undefined || isIP(ip) === 0) return undefined
  return isIP(ip) === 4 ? ip : network(ip)
}

/** Returns the first four groups of an IPv6 address, without leading zeros. */
function network(ip: string): string {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right]
  const firstFour = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${firstFour.join(':')}::/64`
}
