import { startTestDatabase } from '@latchkey/testkit/database'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../store/openStore.ts'
import { silentLogger } from './logger.ts'
import { ServerError } from './ServerError.ts'
import { toServerError } from './toServerError.ts'

const gone = {
  code: 'DATABASE_UNREACHABLE',
  status: 503,
  message: 'The server cannot reach its database. Try again in a moment.',
}

test('default', () => {
  const error = new ServerError('No.', { code: 'NOT_FOUND', status: 404 })
  expect(toServerError(error, silentLogger)).toBe(error)
  expect(toServerError(new TypeError('x'), silentLogger)).toMatchObject({ code: 'INTERNAL', status: 500 })
})

test('error: the database ends a connection in the middle of a query, then goes down', async () => {
  const database = await startTestDatabase({ server: 'own' })
  let closing: Promise<void> | undefined
  const goDown = () => (closing ??= database.close())
  onTestFinished(goDown)
  const store = await openStore({ databaseUrl: database.url })
  const failureOf = (query: Promise<unknown>) =>
    query.then(
      () => undefined,
      (error: unknown) => toServerError(error, silentLogger),
    )
  try {
    // A wrong query is our own fault.
    expect(await failureOf(sql`select 1/0`.execute(store.db))).toMatchObject({ code: 'INTERNAL' })
    const running = failureOf(sql`select pg_sleep(10)`.execute(store.db))
    const end = sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'`
    while ((await end.execute(store.db)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await running).toMatchObject(gone)
    const impatient = new pg.Client({ connectionString: database.url, query_timeout: 50 })
    await impatient.connect()
    expect(await failureOf(impatient.query('select pg_sleep(1)'))).toMatchObject(gone)
    await impatient.end()
    const begun = store.db.transaction().execute(async (inner) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(inner)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(store.db)
      await sql`select 1`.execute(inner)
    })
    expect(await failureOf(begun)).toMatchObject(gone)
    await goDown()
    expect(await failureOf(sql`select 1`.execute(store.db))).toMatchObject(gone)
    expect(await failureOf(sql`select 1`.execute(store.db))).toMatchObject(gone)
  } finally {
    await store.close()
  }
})
