import { startTestDatabase } from '@latchkey/testkit/database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from './openStore.ts'

let database: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.close())

test('default', async () => {
  const store = await openStore({ databaseUrl: database.url })
  expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }])
  await store.close()
})

test('error: no database there; the password is not shown', async () => {
  const opening = openStore({ databaseUrl: 'postgres://user:hunter2@127.0.0.1:1/none' })
  await expect(opening).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: 'PostgreSQL at 127.0.0.1:1/none does not answer. Check that it runs and that DATABASE_URL is right.',
  })
})

test('behavior: a connection that breaks in a transaction, between two queries, fails that transaction alone', async () => {
  const store = await openStore({ databaseUrl: database.url })
  const broken = store.db.transaction().execute(async (db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(store.db)
    await sql`select 1`.execute(db)
  })
  await expect(broken).rejects.toThrow()
  expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }])
  await store.close()
})

test('error: a database elsewhere gets nothing without TLS, unless the URL says so', async () => {
  // Not a name of this machine, yet it leads there; the server has no TLS.
  const elsewhere = database.url.replace('127.0.0.1', '0.0.0.0')
  await expect(openStore({ databaseUrl: elsewhere })).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringMatching(/^PostgreSQL at 0\.0\.0\.0:\d+\/\w+ offers no TLS.*\?sslmode=disable/),
  })
  const { pool, close } = await openStore({ databaseUrl: `${elsewhere}?sslmode=disable` })
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await close()
})
