import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { openStore, type Store } from '../database/openStore.ts'
import { returnToken, takeToken, takeTokens } from './takeToken.ts'

/** Two stores simulate two replicas of the server. */

const database = await startTestDatabase({ migrated: true })
const stores: [Store, Store] = [
  await openStore({ databaseUrl: database.url }),
  await openStore({ databaseUrl: database.url }),
]
afterAll(async () => {
  for (const store of stores) await store.close()
  await database.close()
})

const hour = 3_600_000

test('refuses with the time until the next token', async () => {
  const token = { key: 'default', limit: 3, windowMs: hour }
  for (let count = 0; count < 3; count++) expect(await takeToken(stores[0].db, token)).toEqual({ ok: true })
  const refused = await takeToken(stores[0].db, token)
  expect(refused).toEqual({ ok: false, retryAfterMs: expect.any(Number) })
  if (refused.ok) throw new TypeError('was not refused')
  expect(refused.retryAfterMs).toBeGreaterThan(hour / 3 - 60_000)
  expect(refused.retryAfterMs).toBeLessThanOrEqual(hour / 3)
})

test('hands out no more than the limit to concurrent requests of two copies', async () => {
  const token = { key: 'race', limit: 7, windowMs: hour }
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => takeToken(stores[index % 2 ? 0 : 1].db, token)),
  )
  expect(results.filter(({ ok }) => ok)).toHaveLength(7)
  for (const result of results) if (!result.ok) expect(result.retryAfterMs).toBeGreaterThan(hour / 7 - 60_000)
})

test('limits keys separately and refills', async () => {
  const token = { key: 'quick', limit: 1, windowMs: 40 }
  expect(await takeToken(stores[0].db, token)).toEqual({ ok: true })
  expect(await takeToken(stores[0].db, { ...token, key: 'other' })).toEqual({ ok: true })
  await expect.poll(() => takeToken(stores[0].db, token)).toEqual({ ok: true })
})

test('returns a token', async () => {
  const token = { key: 'returned', limit: 1, windowMs: hour }
  await takeToken(stores[0].db, token)
  expect((await takeToken(stores[0].db, token)).ok).toBe(false)
  await returnToken(stores[0].db, token)
  expect((await takeToken(stores[0].db, token)).ok).toBe(true)
})

test('takes many keys in one statement, each with its own limit', async () => {
  const [a, b] = [
    { key: 'a', limit: 3, windowMs: hour },
    { key: 'b', limit: 1, windowMs: 2 * hour },
  ]
  const tokens = [a, b, { key: 'c', limit: 4, windowMs: hour, count: 3 }]
  const rounds = await Promise.all(
    Array.from({ length: 8 }, (_, index) => takeTokens(stores[index % 2 ? 0 : 1].db, tokens, 'custody_limits')),
  )
  const granted = (place: number) => rounds.filter((results) => results[place]?.ok).length
  expect([granted(0), granted(1), granted(2)]).toEqual([3, 1, 1])
  const [fresh, ...refusals] = await takeTokens(stores[0].db, [{ ...a, key: 'd' }, a, b], 'custody_limits')
  expect(fresh).toEqual({ ok: true })
  for (const [index, refused] of refusals.entries()) {
    if (refused.ok) throw new TypeError('was not refused')
    const ms = index === 0 ? hour / 3 : 2 * hour
    expect(refused.retryAfterMs).toBeGreaterThan(ms - 60_000)
    expect(refused.retryAfterMs).toBeLessThanOrEqual(ms)
  }
  expect(await takeToken(stores[0].db, { key: 'a', limit: 3, windowMs: hour })).toEqual({ ok: true })
})
