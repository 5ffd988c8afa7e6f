import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { clientIp } from './clientIp.ts'

/** Of a request over a connection from `peer`, as `listen` hands it to an app. */
async function readIp(
  peer: string | undefined,
  forwarded?: string,
  trustedProxies?: number,
): Promise<string | undefined> {
  let ip: string | undefined
  const app = new Hono().get('/', (context) => {
    ip = clientIp(context, trustedProxies)
    return context.body(null)
  })
  const headers = { ...(forwarded && { 'x-forwarded-for': forwarded }) }
  await app.request(
    '/',
    { headers },
    peer === undefined ? undefined : { incoming: { socket: { remoteAddress: peer } } },
  )
  return ip
}

test('default', async () => {
  expect(await readIp('198.51.100.7')).toBe('198.51.100.7')
  expect(await readIp('::ffff:198.51.100.7')).toBe('198.51.100.7')
})

test('behavior: an IPv6 customer is a /64 network, however it is written', async () => {
  const network = '2001:db8:0:1::/64'
  for (const ip of [
    '2001:db8:0:1::5',
    '2001:0db8:0000:0001:0000:0000:0000:0005',
    '2001:db8::1:ffff:0:0:9',
    '2001:DB8:0:1::',
  ])
    expect(await readIp(ip), ip).toBe(network)
})

test('behavior: the header counts nothing without a trusted proxy', async () => {
  expect(await readIp('198.51.100.7', '203.0.113.1')).toBe('198.51.100.7')
})

test('param: trustedProxies counts from the right; what the client wrote is left of it', async () => {
  const forged = '1.1.1.1, 203.0.113.1'
  expect(await readIp('127.0.0.1', forged, 1)).toBe('203.0.113.1')
  expect(await readIp('127.0.0.1', `${forged}, 10.0.0.9`, 2)).toBe('203.0.113.1')
  expect(await readIp('127.0.0.1', '203.0.113.1', 2)).toBeUndefined()
  expect(await readIp('127.0.0.1', 'unknown', 1)).toBeUndefined()
  expect(await readIp('127.0.0.1', undefined, 1)).toBeUndefined()
})

test('behavior: unknown for a connection from this machine, and for a request over none', async () => {
  expect(await readIp('127.0.0.1')).toBeUndefined()
  expect(await readIp('::1')).toBeUndefined()
  expect(await readIp(undefined)).toBeUndefined()
})
