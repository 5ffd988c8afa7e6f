import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { ServerError } from '../errors/ServerError.ts'
import { type Logger, silentLogger } from '../observability/logger.ts'
import { errorResponse, toServerError } from './errorResponse.ts'

function collect() {
  const lines: string[] = []
  const keep = (fields: Record<string, unknown>, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, logger: { info: keep, warn: keep, error: keep } satisfies Logger }
}

async function respond(thrown: Error, options: Partial<errorResponse.Options> = {}) {
  const app = new Hono()
  app.onError((error, context) => errorResponse(context, error, { logger: silentLogger, ...options }))
  app.get('/x', () => {
    throw thrown
  })
  return app.request('/x')
}

test('returns code and message', async () => {
  const { lines, logger } = collect()
  const response = await respond(new ServerError('No.', { code: 'NOT_FOUND', status: 404 }), { logger })
  expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND', message: 'No.' }])
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(lines).toEqual([])
})

test('logs unexpected errors and hides them from the caller', async () => {
  const { lines, logger } = collect()
  const response = await respond(new TypeError('password hunter2'), { logger })
  expect([response.status, await response.json()]).toEqual([
    500,
    { code: 'INTERNAL', message: 'Something went wrong on the server. Try again in a moment.' },
  ])
  expect(lines.join()).toContain('hunter2')
  expect(lines.join()).toContain('"path":"/x"')
})

test('logs a server error with its cause', async () => {
  const { lines, logger } = collect()
  await respond(new ServerError('Down.', { code: 'INTERNAL', status: 503, cause: new TypeError('why') }), { logger })
  expect(lines.join()).toContain('why')
  toServerError({ secret: 'x' }, logger)
  expect(lines.join()).not.toContain('secret')
})

test('sends Retry-After in whole seconds', async () => {
  const late = async (retryAfterMs?: number) =>
    (await respond(new ServerError('x', { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs }))).headers.get('retry-after')
  expect([await late(1), await late(1_000), await late(1_001), await late(0)]).toEqual(['1', '1', '2', '1'])
  expect(await late()).toBeNull()
})

test.each([
  ['25006', 'The database takes no writes', 'The server cannot write to its database. Try again in a moment.'],
  ['53100', 'The database takes no writes', 'The server cannot write to its database. Try again in a moment.'],
  ['53300', 'The database does not answer', 'The server cannot reach its database. Try again in a moment.'],
  ['3D000', 'The database does not answer', 'The server cannot reach its database. Try again in a moment.'],
  ['EAI_AGAIN', 'The database does not answer', 'The server cannot reach its database. Try again in a moment.'],
  ['EHOSTUNREACH', 'The database does not answer', 'The server cannot reach its database. Try again in a moment.'],
])('reports a PostgreSQL that cannot work: %s', (code, line, message) => {
  const lines: string[] = []
  const note = (_: unknown, text: string) => void lines.push(text)
  const failure = Object.assign(new Error('refused'), { code })
  const error = toServerError(failure, { info: note, warn: note, error: note })
  expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE', status: 503, message })
  expect(lines).toEqual([line])
})
