import { isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

/**
 * The address a request comes from, as a key for limits: an IPv4 address, or the /64 network of an IPv6 one, since that is
 * what one customer has. `X-Forwarded-For` counts only as far as our own proxies wrote it: with `trustedProxies` = n, the
 * n-th entry from the right. Undefined when that is unknown, and for a connection from this very machine without a trusted
 * proxy: it may be an undeclared proxy, and all its users would share one limit.
 */
export function clientIp(context: Context, trustedProxies = 0): string | undefined {
  if (trustedProxies === 0) {
    const peer = normalize(peerAddress(context))
    return peer === undefined || isLoopback(peer) ? undefined : peer
  }
  const forwarded = (context.req.header('x-forwarded-for') ?? '').split(',')
  return normalize(forwarded.at(-trustedProxies)?.trim())
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
