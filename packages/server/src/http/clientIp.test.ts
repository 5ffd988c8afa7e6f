import { expect, test } from 'vitest'
import { clientIp } from './clientIp.ts'
import { rememberPeer } from './peerAddress.ts'

function request(peer: string | undefined, forwarded?: string): Request {
  const made = new Request('http://localhost/', { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} })
  rememberPeer(made, peer)
  return made
}

test('default', () => {
  expect(clientIp(request('198.51.100.7'))).toBe('198.51.100.7')
  expect(clientIp(request('::ffff:198.51.100.7'))).toBe('198.51.100.7')
})

test('behavior: an IPv6 customer is a /64 network, however it is written', () => {
  const network = '2001:db8:0:1::/64'
  for (const ip of [
    '2001:db8:0:1::5',
    '2001:0db8:0000:0001:0000:0000:0000:0005',
    '2001:db8::1:ffff:0:0:9',
    '2001:DB8:0:1::',
  ])
    expect(clientIp(request(ip)), ip).toBe(network)
})

test('behavior: without trust a header of the client says nothing', () => {
  expect(clientIp(request('198.51.100.7', '203.0.113.1'))).toBe('198.51.100.7')
})

test('param: trustedProxies counts from the right, so that what the client wrote is left of it', () => {
  const forged = '1.1.1.1, 203.0.113.1'
  expect(clientIp(request('127.0.0.1', forged), 1)).toBe('203.0.113.1')
  expect(clientIp(request('127.0.0.1', `${forged}, 10.0.0.9`), 2)).toBe('203.0.113.1')
  expect(clientIp(request('127.0.0.1', '203.0.113.1'), 2)).toBeUndefined()
  expect(clientIp(request('127.0.0.1', 'unknown'), 1)).toBeUndefined()
  expect(clientIp(request('127.0.0.1'), 1)).toBeUndefined()
})

test('behavior: unknown for a connection from this machine, and for a request that came over none', () => {
  expect(clientIp(request('127.0.0.1'))).toBeUndefined()
  expect(clientIp(request('::1'))).toBeUndefined()
  expect(clientIp(request(undefined))).toBeUndefined()
})
