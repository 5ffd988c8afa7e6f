import {
  floodVictim,
  startVictimGateway,
  type VictimGateway,
  victimOperation,
  withNonceKey,
} from '@latchkey/testkit/gateway/floodVictim'
import { test } from '@latchkey/testkit/worker'
import { afterAll, expect } from 'vitest'

// Anyone may request sponsorship for any address, so a request counts for its caller until the account has signed.

let gateway: VictimGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startVictimGateway({ chain })
})
afterAll(() => gateway?.close())

test.for(['0.6.0', '0.7.0'] as const)(
  'sponsors an account that others asked for beyond every limit, entry point %s',
  async (version) => {
    const victim = await victimOperation(gateway, version)
    const flood = await floodVictim({ gateway, victim, requests: 120, addresses: 20, atOnce: 8 })
    // Each IP address has used up its daily count for this account.
    expect(flood.signed).toBeGreaterThanOrEqual(60)
    expect(flood.rules).toEqual(['limits.sender.day.count'])
    expect(await gateway.send('198.51.100.1', victim)).toHaveProperty('result')
  },
)

test('refuses a nonce that is not the next of its key before it reserves anything', async () => {
  const victim = await victimOperation(gateway, '0.7.0')
  const later = { ...victim, userOperation: { ...victim.userOperation, nonce: '0x5' as const } }
  expect((await gateway.sponsor('203.0.113.1', later)).error?.message).toMatch(/AA25|nonce/)
  const rows = gateway.db.selectFrom('reservations').selectAll().where('sender', '=', victim.sender.toLowerCase())
  expect(await rows.execute()).toEqual([])
})

test('counts operations that the account signed for it, whoever asks next', async () => {
  const victim = await victimOperation(gateway, '0.7.0')
  const sent = await gateway.send('198.51.100.2', victim)
  expect(sent).toHaveProperty('result')
  expect(await gateway.waitForReceipt(sent.result as `0x${string}`)).toMatchObject({ success: true })
  const { factory, factoryData, ...deployed } = victim.userOperation
  const next = { ...victim, userOperation: deployed }
  for (const key of [1, 2])
    expect(await gateway.send('198.51.100.2', withNonceKey(next, key)), `key ${key}`).toHaveProperty('result')
  const { error } = await gateway.sponsor('198.51.100.3', withNonceKey(next, 3))
  expect(error).toMatchObject({ data: { rule: 'limits.sender.day.count' } })
})
