import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestCustody, type TestCustody } from '../../../../../test/custody.ts'
import { createMailSlots } from './createMailSlots.ts'

let custody: TestCustody
beforeAll(async () => {
  custody = await startTestCustody()
})
afterAll(() => custody.close())

const limit = { count: 1, windowMs: 60_000 }

test('default', async () => {
  const withSlot = createMailSlots({ db: custody.store.db, limit })
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((value) => withSlot(randomUUID(), async () => value)))
  expect(answers).toEqual([1, 2, 3, 4, 5, 6])
})

test('error: no turn comes while those before hang; later ones get theirs', async () => {
  const withSlot = createMailSlots({ db: custody.store.db, limit, waitMs: 100 })
  let release = () => {}
  const hanging = new Promise<void>((resolve) => {
    release = resolve
  })
  const holders = [1, 2, 3, 4].map(() => withSlot(randomUUID(), () => hanging))
  await expect(withSlot(randomUUID(), async () => 'never')).rejects.toMatchObject({
    code: 'MAIL_UNAVAILABLE',
    status: 503,
  })
  release()
  await Promise.all(holders)
  expect(await withSlot(randomUUID(), async () => 'now')).toBe('now')
})
