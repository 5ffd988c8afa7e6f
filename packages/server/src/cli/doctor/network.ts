import { promises as machine } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import type { Network } from './checks.ts'
import type { DoctorOptions } from './doctorOptions.ts'

/** Resolver error codes for missing names or records. */
const absent = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN'])

/**
 * Creates a network that resolves names with the configured resolvers, also for connections. Without resolvers, uses
 * this machine's resolver and hosts file.
 */
export function createNetwork({ dnsServers, authorities = [] }: DoctorOptions): Network {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (dnsServers.length > 0) resolver.setServers(dnsServers)

  async function readAddresses(host: string): Promise<string[]> {
    if (isIP(host)) return [host]
    if (dnsServers.length === 0)
      return (await existing(machine.lookup(host, { all: true }))).map(({ address }) => address)
    const [four, six] = await Promise.all([existing(resolver.resolve4(host)), existing(resolver.resolve6(host))])
    return [...four, ...six]
  }

  const lookup: LookupFunction = (host, _options, done) => {
    readAddresses(host).then(
      ([address = '']) => {
        if (address === '') return done(Object.assign(new TypeError('No address.'), { code: 'ENOTFOUND' }), '')
        // Node versions differ in whether they request one IP address or all.
        const family = isIP(address)
        if (_options.all) done(null, [{ address, family }])
        else done(null, address, family)
      },
      (error) => done(error, ''),
    )
  }
  return {
    readAddresses,
    readText: async (name) => (await existing(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    lookup: dnsServers.length > 0 ? lookup : undefined,
    authorities,
  }
}

async function existing<item>(found: Promise<item[]>): Promise<item[]> {
  try {
    return await found
  } catch (error) {
    if (absent.has(String((error as { code?: unknown }).code))) return []
    throw error
  }
}
