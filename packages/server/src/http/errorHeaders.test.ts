import { expect, test } from 'vitest'
import { errorHeaders } from './errorHeaders.ts'
import { ServerError } from './ServerError.ts'

test('default', () => {
  const late = (retryAfterMs: number) =>
    errorHeaders(new ServerError('x', { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs }))
  expect([late(1), late(1_000), late(1_001), late(0)]).toEqual(
    ['1', '1', '2', '1'].map((seconds) => ({ 'retry-after': seconds })),
  )
})

test('behavior: other errors have none', () => {
  expect(errorHeaders(new ServerError('x', { code: 'INTERNAL' }))).toEqual({})
})
