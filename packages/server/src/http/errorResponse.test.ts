import { expect, test } from 'vitest'
import { errorResponse } from './errorResponse.ts'
import type { Logger } from './logger.ts'
import { ServerError } from './ServerError.ts'

function collect() {
  const lines: string[] = []
  const keep = (fields: Record<string, unknown>, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, logger: { info: keep, warn: keep, error: keep } satisfies Logger }
}

test('default', async () => {
  const { lines, logger } = collect()
  const response = errorResponse(new ServerError('No.', { code: 'NOT_FOUND', status: 404 }), logger)
  expect([response.status, await response.json()]).toEqual([404, { code: 'NOT_FOUND', message: 'No.' }])
  expect(lines).toEqual([])
})

test('behavior: what is unexpected is logged, and the caller learns nothing', async () => {
  const { lines, logger } = collect()
  const response = errorResponse(new TypeError('password hunter2'), logger, { path: '/x' })
  expect([response.status, await response.json()]).toEqual([
    500,
    { code: 'INTERNAL', message: 'Something went wrong on the server. Try again in a moment.' },
  ])
  expect(lines.join()).toContain('hunter2')
  expect(lines.join()).toContain('"path":"/x"')
})

test('behavior: a server error is logged with its cause', () => {
  const { lines, logger } = collect()
  errorResponse(new ServerError('Down.', { code: 'INTERNAL', status: 503, cause: new TypeError('why') }), logger)
  expect(lines.join()).toContain('why')
  errorResponse({ secret: 'x' }, logger)
  expect(lines.join()).not.toContain('secret')
})
