import { startTestDatabase } from '@latchkey/testkit/database'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { toServerError } from '../http/errorResponse.ts'
import { silentLogger } from '../observability/logger.ts'
import { inTransaction } from './inTransaction.ts'
import { openStore } from './openStore.ts'

const database = await startTestDatabase()
const store = await openStore({ databaseUrl: database.url })
await store.pool.query(`create table counts (name text primary key, count integer not null);
  insert into counts values ('a', 0), ('b', 0)`)
afterAll(async () => {
  await store.close()
  await database.close()
})

const raise = (code: string) => sql.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`)
const counts = async () =>
  (await store.pool.query('select count from counts order by name')).rows.map(({ count }) => count)

test('commits or rolls back as a whole', async () => {
  const increase = sql`update counts set count = count + 1`
  expect(await inTransaction(store.db, (db) => increase.execute(db).then(() => 'done'))).toBe('done')
  expect(await counts()).toEqual([1, 1])
  const failing = inTransaction(store.db, async (db) => {
    await increase.execute(db)
    throw new TypeError('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await counts()).toEqual([1, 1])
})

test('completes both of two deadlocked transactions', async () => {
  const before = await counts()
  let arrived = 0
  let runs = 0
  let meet = () => {}
  const met = new Promise<void>((resolve) => {
    meet = resolve
  })
  const crossing = (names: readonly string[]) =>
    inTransaction(store.db, async (db) => {
      runs++
      for (const name of names) {
        await sql`update counts set count = count + 1 where name = ${name}`.execute(db)
        if (++arrived === 2) meet()
        await met
      }
    })
  await Promise.all([crossing(['a', 'b']), crossing(['b', 'a'])])
  expect(runs).toBeGreaterThan(2)
  expect(await counts()).toEqual(before.map((count) => count + 2))
})

test.each([
  ['40P01', 5, 'DATABASE_BUSY'],
  ['40001', 5, 'DATABASE_BUSY'],
  ['57014', 1, 'DATABASE_BUSY'],
  ['55P03', 1, 'DATABASE_BUSY'],
  ['22012', 1, 'INTERNAL'],
])('reports a repeated SQLSTATE %s', async (sqlState, times, code) => {
  let runs = 0
  const failing = inTransaction(store.db, async (db) => {
    runs++
    await raise(sqlState).execute(db)
  })
  const error = await failing.catch((thrown: unknown) => toServerError(thrown, silentLogger))
  expect(error).toMatchObject({ code, status: code === 'INTERNAL' ? 500 : 503 })
  expect(runs).toBe(times)
})
