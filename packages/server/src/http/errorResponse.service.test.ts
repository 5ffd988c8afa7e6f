import { startTestDatabase } from '@latchkey/testkit/database'
import { Hono } from 'hono'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../store/openStore.ts'
import { errorResponse, toServerError } from './errorResponse.ts'
import { type Logger, silentLogger } from './logger.ts'
import { ServerError } from './ServerError.ts'

function collect() {
  const lines: string[] = []
  const keep = (fields: Record<string, unknown>, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, logger: { info: keep, warn: keep, error: keep } satisfies Logger }
}

/** The response of an app whose handler throws. */
async function respond(thrown: Error, options: Partial<errorResponse.Options> = {}) {
  const app = new Hono()
  app.onError((error, context) => errorResponse(context, error, { logger: silentLogger, ...options }))
  app.get('/x', () => {
    throw thrown
  })
  return app.request('/x')
}

test('default', async () => {
  const { lines, logger } = collect()
  const response = await respond(new ServerError('No.', { code: 'NOT_FOUND', status: 404 }), { logger })
  expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND', message: 'No.' }])
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(lines).toEqual([])
})

test('behavior: what is unexpected is logged, and the caller learns nothing', async () => {
  const { lines, logger } = collect()
  const response = await respond(new TypeError('password hunter2'), { logger })
  expect([response.status, await response.json()]).toEqual([
    500,
    { code: 'INTERNAL', message: 'Something went wrong on the server. Try again in a moment.' },
  ])
  expect(lines.join()).toContain('hunter2')
  expect(lines.join()).toContain('"path":"/x"')
})

test('behavior: a server error is logged with its cause', async () => {
  const { lines, logger } = collect()
  await respond(new ServerError('Down.', { code: 'INTERNAL', status: 503, cause: new TypeError('why') }), { logger })
  expect(lines.join()).toContain('why')
  toServerError({ secret: 'x' }, logger)
  expect(lines.join()).not.toContain('secret')
})

test('behavior: Retry-After in whole seconds, for errors that have a time', async () => {
  const late = async (retryAfterMs?: number) =>
    (await respond(new ServerError('x', { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs }))).headers.get('retry-after')
  expect([await late(1), await late(1_000), await late(1_001), await late(0)]).toEqual(['1', '1', '2', '1'])
  expect(await late()).toBeNull()
})

test('param: toBody', async () => {
  const error = new ServerError('No.', { code: 'NOT_FOUND', status: 404 })
  const response = await respond(error, { toBody: ({ message }) => ({ message, code: 5 }) })
  expect([response.status, await response.json()]).toEqual([404, { message: 'No.', code: 5 }])
})

test('behavior: toServerError keeps a server error; anything else is INTERNAL', () => {
  const error = new ServerError('No.', { code: 'NOT_FOUND', status: 404 })
  expect(toServerError(error, silentLogger)).toBe(error)
  expect(toServerError(new TypeError('x'), silentLogger)).toMatchObject({ code: 'INTERNAL', status: 500 })
})

const unreachable = {
  code: 'DATABASE_UNREACHABLE',
  status: 503,
  message: 'The server cannot reach its database. Try again in a moment.',
}

test.each([
  ['25006', 'The database takes no writes', 'The server cannot write to its database. Try again in a moment.'],
  ['53100', 'The database takes no writes', 'The server cannot write to its database. Try again in a moment.'],
  ['53300', 'The database does not answer', 'The server cannot reach its database. Try again in a moment.'],
])('error: PostgreSQL runs and can do nothing: %s', (code, line, message) => {
  const lines: string[] = []
  const note = (_: unknown, text: string) => void lines.push(text)
  const failure = Object.assign(new Error('refused'), { code })
  const error = toServerError(failure, { info: note, warn: note, error: note })
  expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE', status: 503, message })
  expect(lines).toEqual([line])
})

test('error: the database ends a connection during a query, then stops', async () => {
  const database = await startTestDatabase({ server: 'own' })
  let closing: Promise<void> | undefined
  const goDown = () => (closing ??= database.close())
  onTestFinished(goDown)
  const store = await openStore({ databaseUrl: database.url })
  const readFailure = (query: Promise<unknown>) =>
    query.then(
      () => undefined,
      (error: unknown) => toServerError(error, silentLogger),
    )
  try {
    // A wrong query is our own fault.
    expect(await readFailure(sql`select 1/0`.execute(store.db))).toMatchObject({ code: 'INTERNAL' })
    const running = readFailure(sql`select pg_sleep(10)`.execute(store.db))
    const end = sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'`
    while ((await end.execute(store.db)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await running).toMatchObject(unreachable)
    const impatient = new pg.Client({ connectionString: database.url, query_timeout: 50 })
    await impatient.connect()
    expect(await readFailure(impatient.query('select pg_sleep(1)'))).toMatchObject(unreachable)
    await impatient.end()
    const begun = store.db.transaction().execute(async (inner) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(inner)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(store.db)
      await sql`select 1`.execute(inner)
    })
    expect(await readFailure(begun)).toMatchObject(unreachable)
    await goDown()
    expect(await readFailure(sql`select 1`.execute(store.db))).toMatchObject(unreachable)
    expect(await readFailure(sql`select 1`.execute(store.db))).toMatchObject(unreachable)
  } finally {
    await store.close()
  }
})
