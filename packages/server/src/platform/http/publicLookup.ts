import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Code of an error's cause if a host has a private network address. */
export const notPublic = 'ADDRESS_NOT_PUBLIC'

/** Addresses outside the public Internet (RFC 6890), from IANA's special-purpose registries. */
const special4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special4.addSubnet(network, prefix, 'ipv4')

/** Global unicast, except its ranges that map to IPv4 or are reserved for documentation. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const special6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special6.addSubnet(network, prefix, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !special4.check(address, 'ipv4')
  return version === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

/** Returns whether a URL's host is a literal IP address that is not public. Such hosts are never looked up. */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) !== 0 && !isPublicAddress(address)
}

/**
 * Looks up a host's IP addresses for a connection, and fails if one of them is not public. The connection uses the
 * checked address, so a later DNS change has no effect.
 */
export const publicLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const [first] = addresses
    if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
      return done(Object.assign(new TypeError('Not an address of the public Internet.'), { code: notPublic }), '')
    if (options.all) done(null, addresses)
    else done(null, first.address, first.family)
  })
}
