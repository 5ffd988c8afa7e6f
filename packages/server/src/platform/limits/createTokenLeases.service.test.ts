import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { createTokenLeases } from './createTokenLeases.ts'
import { takeToken } from './takeToken.ts'

const store = await startTestStore()
afterAll(() => store.close())

const days = 100 * 86_400_000
const table = 'custody_limits'
const start = (now?: () => number) => createTokenLeases({ db: store.db, table, now })

async function countLeft({ key, limit, windowMs }: { key: string; limit: number; windowMs: number }): Promise<number> {
  let left = 0
  while ((await takeToken(store.db, { key, limit, windowMs, table })).ok) left++
  return left
}

async function countTaken(take: createTokenLeases.ReturnType, token: Parameters<typeof take>[0], times: number) {
  const results = await Promise.all(Array.from({ length: times }, () => take(token)))
  return results.filter(({ ok }) => ok).length
}

test('leases a sixtieth of the limit at a time', async () => {
  const token = { key: 'default', limit: 120, windowMs: days }
  const take = start()
  expect(await take(token)).toEqual({ ok: true })
  expect(await take(token)).toEqual({ ok: true })
  expect(await countLeft(token)).toBe(118)
  expect((await take(token)).ok).toBe(false)
})

test('hands out all tokens and no more, also below a share', async () => {
  const token = { key: 'all', limit: 90, windowMs: days }
  await takeToken(store.db, { ...token, count: 5, table })
  expect(await countTaken(start(), token, 200)).toBe(85)
  const few = { key: 'few', limit: 7, windowMs: days }
  expect(await countTaken(start(), few, 20)).toBe(7)
})

test('hands out no more than the limit from two copies', async () => {
  const token = { key: 'copies', limit: 300, windowMs: days }
  const counts = await Promise.all([countTaken(start(), token, 400), countTaken(start(), token, 400)])
  expect(counts[0] + counts[1]).toBe(300)
  expect((await start()(token)).ok).toBe(false)
})

test('refuses an exhausted limit from memory until a token returns', async () => {
  let time = 0
  const take = start(() => time)
  const token = { key: 'used up', limit: 2, windowMs: days }
  expect(await countTaken(take, token, 2)).toBe(2)
  const refused = await take(token)
  if (refused.ok) throw new TypeError('was not refused')
  expect(refused.retryAfterMs).toBeGreaterThan(days / 2 - 3_600_000)
  expect(refused.retryAfterMs).toBeLessThanOrEqual(days / 2)
  // The database has tokens again, but the replica fetches only after the wait.
  await store.db.deleteFrom(table).execute()
  time = refused.retryAfterMs - 1
  expect(await take(token)).toEqual({ ok: false, retryAfterMs: 1 })
  expect(await take({ ...token, key: 'of another' })).toEqual({ ok: true })
  time += 1
  expect(await take(token)).toEqual({ ok: true })
})

test('takes all of count or none', async () => {
  const token = { key: 'count', limit: 10, windowMs: days }
  const take = start()
  expect(await take({ ...token, count: 7 })).toEqual({ ok: true })
  expect((await take({ ...token, count: 4 })).ok).toBe(false)
  expect(await take({ ...token, count: 3 })).toEqual({ ok: true })
  expect(await take({ ...token, count: 11 })).toEqual({ ok: false, retryAfterMs: days })
})
