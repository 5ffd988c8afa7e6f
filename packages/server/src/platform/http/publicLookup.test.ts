import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { expect, onTestFinished, test } from 'vitest'
import { fetchBounded } from './fetchBounded.ts'
import { isPrivateHost, isPublicAddress, notPublic, publicLookup } from './publicLookup.ts'

test('recognizes public addresses', () => {
  for (const address of ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
    expect(isPublicAddress(address), address).toBe(true)
})

test('refuses addresses of this machine, private networks and cloud metadata', () => {
  const addresses = [
    ...['0.0.0.0', '127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...['169.254.169.254', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '::ffff:1.1.1.1'],
    ...['fe80::1', 'fd00:ec2::254', 'fc00::1', 'ff02::1', '64:ff9b::a00:1', '2002:a00:1::', '2001::1', '2001:db8::1'],
    ...['', 'localhost', '1.1.1'],
  ]
  for (const address of addresses) expect(isPublicAddress(address), address).toBe(false)
  for (const host of ['[::1]', '127.0.0.1', '[fd00::1]']) expect(isPrivateHost(host), host).toBe(true)
  for (const host of ['example.com', '1.1.1.1', '[2606:4700::1111]']) expect(isPrivateHost(host), host).toBe(false)
})

test('refuses a name that resolves to this machine', async () => {
  const request = fetchBounded('https://localhost:1/', { what: 'It', connection: { lookup: publicLookup } })
  await expect(request).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE', cause: { code: notPublic } })
})

test('refuses a name with one address that is not public', async () => {
  const { lookup } = dns
  let addresses: string[] = []
  Object.assign(dns, {
    lookup: (_host: string, _options: object, done: (error: null, found: dns.LookupAddress[]) => void) =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  })
  const look = (all: boolean) =>
    new Promise((resolve, reject) =>
      publicLookup('shop.example', { all }, (error, found) => (error ? reject(error) : resolve(found))),
    )
  addresses = ['1.1.1.1', '8.8.8.8']
  expect(await look(false)).toBe('1.1.1.1')
  for (const mixed of [
    ['1.1.1.1', '10.0.0.1'],
    ['10.0.0.1', '1.1.1.1'],
  ]) {
    addresses = mixed
    for (const all of [false, true]) await expect(look(all)).rejects.toMatchObject({ code: notPublic })
  }
})

// The URL parser writes every form of an IPv4 address as four numbers.
test('recognizes other forms of an address', () => {
  for (const form of ['0x7f000001', '2130706433', '0177.0.0.1', '127.1'])
    expect(isPrivateHost(new URL(`https://${form}/`).hostname), form).toBe(true)
})
