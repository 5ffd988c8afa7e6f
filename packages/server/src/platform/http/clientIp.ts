import { isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

export declare namespace clientIp {
  type Options = {
    /** How many proxies of ours write `X-Forwarded-For`. @default 0 */
    trustedProxies?: number | undefined
    /** For development, where everything is on one machine: requests from it have no address. @default false */
    exemptLoopback?: boolean | undefined
  }
}

/**
 * The address a request comes from, as a key for limits: an IPv4 address, or the /64 network of an IPv6 one, since that is
 * what one customer has. `X-Forwarded-For` counts only as far as our own proxies wrote it: with `trustedProxies` = n, the
 * n-th entry from the right. Where that is no address, the connection's own counts, and where there is no connection all
 * such requests share one key: leaving the header out lifts no limit. Undefined only for what is exempt.
 */
export function clientIp(context: Context, options: clientIp.Options = {}): string | undefined {
  const { trustedProxies = 0, exemptLoopback = false } = options
  const forwarded = trustedProxies > 0 ? (context.req.header('x-forwarded-for') ?? '').split(',') : []
  const ip = normalize(forwarded.at(-trustedProxies)?.trim()) ?? normalize(peerAddress(context))
  if (exemptLoopback && (ip === undefined || isLoopback(ip))) return undefined
  return ip ?? 'unknown'
}

/** A request that came over no connection has no bindings. */
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

/** The first four groups of an IPv6 address, without leading zeros. */
function network(ip: string): string {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right]
  const firstFour = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${firstFour.join(':')}::/64`
}
