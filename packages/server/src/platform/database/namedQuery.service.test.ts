import { startTestDatabase } from '@latchkey/testkit/database'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { namedQuery } from './namedQuery.ts'
import { openStore } from './openStore.ts'

const database = await startTestDatabase()
const store = await openStore({ databaseUrl: database.url, maxConnections: 1 })
afterAll(async () => {
  await store.close()
  await database.close()
})

const prepared = async () =>
  (await store.pool.query<{ name: string }>('select name from pg_prepared_statements order by name')).rows

test('prepares a named query once', async () => {
  const double = (value: number) =>
    namedQuery(store.db, 'double', sql<{ twice: number }>`select ${value}::int * 2 as twice`)
  expect((await double(2)).rows).toEqual([{ twice: 4 }])
  expect((await double(3)).rows).toEqual([{ twice: 6 }])
  expect(await prepared()).toEqual([{ name: 'double' }])
})

test('runs within a transaction', async () => {
  const rows = await store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const query = sql<{ level: string }>`select current_setting('transaction_isolation') as level`
      return (await namedQuery(db, 'read_level', query)).rows
    })
  expect(rows).toEqual([{ level: 'repeatable read' }])
})
