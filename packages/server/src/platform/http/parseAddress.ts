import { isIP } from 'node:net'

/** IPv6 ranges whose last 32 bits are an IPv4 address: mapped (RFC 4291 § 2.5.5.2) and NAT64 (RFC 6052 § 2.1). */
const carriers = ['0:0:0:0:0:ffff:', '64:ff9b:0:0:0:0:']

/**
 * Returns an IP address in one textual form: IPv4 with dots, or the eight groups of IPv6 in lower-case hex without
 * leading zeros. Accepts the forms that proxies write: with a port, brackets, quotes (RFC 7239 § 6) or a zone.
 * Undefined if the text contains no address.
 */
export function parseAddress(text: string): string | undefined {
  const plain = text.trim().replace(/^"(.*)"$/, '$1')
  const bare = /^\[([^\]]*)\](?::\w+)?$/.exec(plain)?.[1] ?? /^([\d.]+):\w+$/.exec(plain)?.[1] ?? plain
  const isBracketed = plain.startsWith('[')
  if (isIP(bare) === 4) return isBracketed ? undefined : bare
  if (isIP(bare) !== 6) return undefined
  const groups = toGroups(bare.replace(/%.*$/, '')).join(':')
  const carrier = carriers.find((prefix) => groups.startsWith(prefix))
  return carrier === undefined ? groups : toIPv4(groups.slice(carrier.length))
}

function toGroups(ip: string): string[] {
  const hex = ip.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${join(a, b)}:${join(c, d)}`)
  const [left = [], right] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const missing = right === undefined ? 0 : 8 - left.length - right.length
  const all = [...left, ...Array<string>(missing).fill('0'), ...(right ?? [])]
  return all.map((group) => Number.parseInt(group, 16).toString(16))
}

const join = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16)

function toIPv4(lastGroups: string): string {
  const bytes = lastGroups.split(':').flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
  return bytes.join('.')
}
