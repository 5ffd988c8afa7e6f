import { isIP } from 'node:net'
import { peerAddress } from './peerAddress.ts'

/**
 * The address a request came from, as a key for limits: an IPv4 address, or the /64 network of an IPv6 one, since that is
 * what one customer has. `X-Forwarded-For` counts only as far as it was written by our own proxies: with `trustedProxies`
 * = n, the n-th entry from the right. Undefined when that cannot be told, and for a connection from this very machine
 * without a trusted proxy: it may be a proxy nobody told us of, and all its users would share one limit.
 */
export function clientIp(request: Request, trustedProxies = 0): string | undefined {
  if (trustedProxies === 0) {
    const peer = normalize(peerAddress(request))
    return peer === undefined || isLoopback(peer) ? undefined : peer
  }
  const forwarded = (request.headers.get('x-forwarded-for') ?? '').split(',')
  return normalize(forwarded.at(-trustedProxies)?.trim())
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
