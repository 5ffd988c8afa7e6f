import { startTestCustody } from '@latchkey/testkit/custody'
import { createPurgeContext } from '@latchkey/testkit/purgeCustody'
import { afterAll, expect, test } from 'vitest'
import { custodyApp } from './app.ts'
import { purge } from './purge.ts'

const dayMs = 24 * 3_600_000
const custody = await startTestCustody()
const context = await createPurgeContext(custody.deps)
afterAll(() => custody.close())

const count = async (table: string) =>
  Number((await custody.store.pool.query(`select count(*) from ${table}`)).rows[0].count)

test('purges session keys and import targets that ended', async () => {
  const user = await custody.createUser({ expirationSeconds: '3600' })
  const keys = await count('credentials')
  const asking = custody.activity('ACTIVITY_TYPE_INIT_IMPORT_WALLET', user.orgId, { userId: user.userId })
  expect((await custody.call('submit/init_import_wallet', asking, user.key)).status).toBe(200)
  await purge(context)
  expect([await count('credentials'), await count('import_targets')]).toEqual([keys, 1])

  // A key that expired just now may belong to an activity that waits for votes.
  custody.advance(dayMs)
  await purge(context)
  expect([await count('credentials'), await count('import_targets')]).toEqual([keys, 0])
  custody.advance(dayMs * 2)
  await purge(context)
  // The parent's key never expires.
  expect(await count('credentials')).toBe(keys - 1)
})

test('skips locked rows', async () => {
  await custody.createUser({ expirationSeconds: '60' })
  const keys = await count('credentials')
  custody.advance(dayMs * 3)
  const holder = await custody.store.pool.connect()
  await holder.query('begin')
  await holder.query('select from credentials where expires_at is not null for update')
  await purge(context)
  expect(await count('credentials')).toBe(keys)
  await holder.query('rollback')
  holder.release()
  await purge(context)
  expect(await count('credentials')).toBe(keys - 1)
})

test('responds while a purge waits and stops after the current batch', async () => {
  await custody.createUser({ expirationSeconds: '60' })
  custody.advance(dayMs * 3)
  const keys = await count('credentials')
  const holder = await custody.store.pool.connect()
  await holder.query('begin')
  await holder.query('lock activities in exclusive mode')
  const closers: (() => Promise<void>)[] = []
  await custodyApp({ ...custody.deps, onClose: (closer) => closers.push(closer) })
  const closed = closers.map((close) => close())
  await holder.query('rollback')
  holder.release()
  await Promise.all(closed)
  expect([closed.length, await count('credentials')]).toEqual([1, keys])
})
