import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import { clientIp, hasUnreadableProxy } from './clientIp.ts'

async function readIp(
  peer: string | undefined,
  forwarded?: string,
  trustedProxies?: number,
  exemptLoopback?: boolean,
): Promise<string | undefined> {
  let ip: string | undefined
  const app = new Hono().get('/', (context) => {
    ip = clientIp(context, { trustedProxies, exemptLoopback })
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

test('reads IPv4 addresses and ignores the header without a trusted proxy', async () => {
  expect(await readIp('198.51.100.7')).toBe('198.51.100.7')
  expect(await readIp('::ffff:198.51.100.7')).toBe('198.51.100.7')
  expect(await readIp('198.51.100.7', '203.0.113.1')).toBe('198.51.100.7')
})

test('reads an IPv6 address as its /64 network', async () => {
  const spellings = [
    '2001:db8:0:1::5',
    '2001:0db8:0000:0001:0000:0000:0000:0005',
    '2001:db8::1:ffff:0:0:9',
    '2001:DB8:0:1::',
  ]
  for (const ip of spellings) expect(await readIp(ip), ip).toBe('2001:db8:0:1::/64')
})

test('counts trusted proxies from the right of the header', async () => {
  const forged = '1.1.1.1, 203.0.113.1'
  expect(await readIp('127.0.0.1', forged, 1)).toBe('203.0.113.1')
  expect(await readIp('127.0.0.1', `${forged}, 10.0.0.9`, 2)).toBe('203.0.113.1')
})

test('falls back to the connection for a missing or malformed header', async () => {
  for (const header of [undefined, '', 'unknown', '_hidden', 'a, b', '1.2.3.4, '])
    expect(await readIp('198.51.100.7', header, 1), header).toBe('198.51.100.7')
  expect(await readIp('198.51.100.7', '203.0.113.1', 2)).toBe('198.51.100.7')
  expect(await readIp('127.0.0.1', 'unknown', 1)).toBe('127.0.0.1')
})

test('limits this machine, and requests without a connection as one', async () => {
  expect(await readIp('127.0.0.1')).toBe('127.0.0.1')
  expect(await readIp('::1')).toBe('0:0:0:0::/64')
  expect(await readIp(undefined)).toBe('unknown')
})

test('exempts loopback on request', async () => {
  for (const peer of ['127.0.0.1', '127.8.8.8', '::1', undefined])
    expect(await readIp(peer, undefined, 0, true), peer).toBeUndefined()
  expect(await readIp('198.51.100.7', undefined, 0, true)).toBe('198.51.100.7')
  expect(await readIp('127.0.0.1', '203.0.113.1', 1, true)).toBe('203.0.113.1')
})

test('reads the forms in which proxies write an address', async () => {
  const forms = [
    '203.0.113.7',
    '203.0.113.7:51000',
    '"203.0.113.7:51000"',
    '::ffff:cb00:7107',
    '[64:ff9b::cb00:7107]:443',
  ]
  for (const form of forms) expect(await readIp('198.51.100.7', `1.1.1.1, ${form}`, 1), form).toBe('203.0.113.7')
  for (const form of ['2001:db8::5', '[2001:db8::5]', '[2001:DB8:0::5]:443', '"[2001:db8::5%1]:443"'])
    expect(await readIp('198.51.100.7', form, 1), form).toBe('2001:db8:0:0::/64')
})

test('logs an unreadable header of a trusted proxy once and reports it for an hour', async () => {
  const warnings: string[] = []
  const logger = { warn: (_fields: unknown, text: string) => void warnings.push(text) }
  const app = new Hono().get('/', (context) => context.text(String(clientIp(context, { trustedProxies: 2, logger }))))
  await app.request('/', { headers: { 'x-forwarded-for': '203.0.113.1, 10.0.0.9' } })
  expect(hasUnreadableProxy(logger)).toBe(false)
  for (const header of ['203.0.113.1', 'unknown, 203.0.113.1'])
    await app.request('/', { headers: { 'x-forwarded-for': header } })
  await app.request('/')
  expect(warnings).toEqual([expect.stringContaining('LATCHKEY_TRUSTED_PROXIES')])
  expect(hasUnreadableProxy(logger)).toBe(true)
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_001)
  try {
    expect(hasUnreadableProxy(logger)).toBe(false)
  } finally {
    clock.mockRestore()
  }
})
