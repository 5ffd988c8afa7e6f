import { startTestDatabase } from '@latchkey/testkit/database'
import { administer } from '@latchkey/testkit/run/databaseServer'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { namedQuery } from './namedQuery.ts'
import { openStore } from './openStore.ts'

const database = await startTestDatabase()
afterAll(() => database.close())

test('connects', async () => {
  const store = await openStore({ databaseUrl: database.url })
  expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }])
  await store.close()
})

test('reports an unreachable database without the password', async () => {
  const opening = openStore({ databaseUrl: 'postgres://user:hunter2@127.0.0.1:1/none' })
  await expect(opening).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: 'PostgreSQL at 127.0.0.1:1/none does not answer. Check that it runs and that DATABASE_URL is right.',
  })
})

test('fails only the transaction of a broken connection', async () => {
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

test('requires TLS for a remote database unless the URL disables it', async () => {
  // The host 0.0.0.0 counts as remote but reaches this machine, whose PostgreSQL has no TLS.
  const elsewhere = database.url.replace('127.0.0.1', '0.0.0.0')
  await expect(openStore({ databaseUrl: elsewhere })).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringMatching(/^PostgreSQL at 0\.0\.0\.0:\d+\/\w+ offers no TLS.*\?sslmode=disable/),
  })
  const { pool, close } = await openStore({ databaseUrl: `${elsewhere}?sslmode=disable` })
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await close()
})

async function pooledUrl(): Promise<string> {
  const url = new URL(database.url)
  const name = `pooled_${url.pathname.slice(-12)}`
  await administer(database.url, `create role ${name} login password '${url.password}'`)
  await administer(database.url, `alter role ${name} set statement_timeout = '15s'`)
  await administer(database.url, `alter role ${name} set idle_in_transaction_session_timeout = '30s'`)
  url.username = name
  return url.href
}

test('sends no named statements or start settings through a pooler, except in sessions', async () => {
  const directHost = new URL(database.url).host
  const databaseUrl = await pooledUrl()
  const store = await openStore({ databaseUrl, directHost, maxConnections: 1, timeoutMs: 20_000 })
  expect(store.databaseUrl).toBe(databaseUrl)
  const read = sql<object>`
    select current_setting('statement_timeout') as timeout,
      (select count(*)::int from pg_prepared_statements) as statements`
  await namedQuery(store.db, 'read', read)
  expect((await namedQuery(store.db, 'read', read)).rows).toEqual([{ timeout: '15s', statements: 0 }])
  const { rows } = await store.sessions.query("select current_setting('statement_timeout') as timeout")
  expect(rows).toEqual([{ timeout: '20s' }])
  await store.close()
  await administer(database.url, `drop role ${new URL(databaseUrl).username}`)
})

test('refuses a pooled user without time limits', async () => {
  const directHost = new URL(database.url).host
  await expect(openStore({ databaseUrl: database.url, directHost })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('alter role "latchkey" set statement_timeout'),
  })
})
