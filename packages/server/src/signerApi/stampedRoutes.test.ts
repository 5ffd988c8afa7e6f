import { custodyPaths } from 'latchkey-protocol'
import { expect, test } from 'vitest'
import { joinSignature, requirePath, stampedSchema } from './stampedRoutes.ts'

test('accepts a request stamped for the path of its route', () => {
  // Custody may be served below a path of a host.
  for (const base of ['https://api.turnkey.com', 'https://wallet.example/lk/custody'])
    expect(requirePath({ url: `${base}/public/v1/query/whoami` }, custodyPaths.whoami)).toBe(custodyPaths.whoami)
})

test.each([
  'https://api.turnkey.com/public/v1/query/list_wallets',
  'https://api.turnkey.com/public/v1/query/whoami/',
  'https://api.turnkey.com/public/v1/query/whoami/../list_wallets',
  'https://api.turnkey.com/public/v1/query/Whoami',
  'https://api.turnkey.com/x?/public/v1/query/whoami',
  '/public/v1/query/whoami',
  '',
])('refuses %j as stamped for whoami', (url) => {
  expect(() => requirePath({ url }, custodyPaths.whoami)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
})

test.each([
  ['Authorization', 'x'],
  ['Host', 'evil.example'],
  ['X-Stamp', 'a\r\nHost: evil.example'],
  ['X-Stamp', 'a'.repeat(8193)],
])('refuses the stamp header %s: %.20j', (stampHeaderName, stampHeaderValue) => {
  const stampedRequest = { body: '{}', url: '', stamp: { stampHeaderName, stampHeaderValue } }
  expect(stampedSchema.safeParse({ stampedRequest }).success).toBe(false)
})

test('joins the signature with a recovery bit of 27 or 28', () => {
  const r = '0a'.repeat(32)
  const s = '0b'.repeat(32)
  expect(joinSignature({ r, s, v: '00' })).toBe(`0x${r}${s}1b`)
  expect(joinSignature({ r, s, v: '01' })).toBe(`0x${r}${s}1c`)
})
