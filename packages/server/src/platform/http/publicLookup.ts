import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** The code of an error's cause where a host has an address of a private network. */
export const notPublic = 'ADDRESS_NOT_PUBLIC'

/** IANA's special-purpose registries (RFC 6890): what is not on the public Internet. */
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

/** Global unicast, and of it what leads to IPv4 addresses or is for documents. */
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

/** Whether an IP address is one of the public Internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !special4.check(address, 'ipv4')
  return version === 6 && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

/** Whether a host of a URL is written as an address that is not public: such a host is not looked up. */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) !== 0 && !isPublicAddress(address)
}

/**
 * Finds a host's addresses for a connection, and fails when one of them is not public. The connection goes to what was
 * checked: a name that resolves otherwise a moment later changes nothing.
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
