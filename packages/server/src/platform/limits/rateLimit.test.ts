import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { errorResponse } from '../http/errorResponse.ts'
import { silentLogger } from '../observability/logger.ts'
import { rateLimit } from './rateLimit.ts'

function appWith(retryAfterMs: number | undefined) {
  const taken: string[] = []
  const app = new Hono()
  app.onError((error, context) => errorResponse(context, error, { logger: silentLogger }))
  app.use(
    rateLimit({
      name: 'signer.requestsPerIp',
      limit: 5,
      windowMs: 1000,
      key: (context) => context.req.query('who'),
      take: async ({ key }) => {
        taken.push(key)
        return retryAfterMs === undefined ? { ok: true } : { ok: false, retryAfterMs }
      },
    }),
  )
  app.get('/', (context) => context.text('fine'))
  return { app, taken }
}

test('takes a token per key and ignores requests without a key', async () => {
  const { app, taken } = appWith(undefined)
  expect((await app.request('/?who=me')).status).toBe(200)
  expect((await app.request('/')).status).toBe(200)
  expect(taken).toEqual(['me'])
})

test('refuses with the time to wait', async () => {
  const cases: [number, string, string][] = [
    [1, '1', '1 second'],
    [1500, '2', '2 seconds'],
    [60_000, '60', '1 minute'],
    [61_000, '61', '2 minutes'],
    [86_400_000, '86400', '24 hours'],
  ]
  for (const [ms, seconds, text] of cases) {
    const response = await appWith(ms).app.request('/?who=me')
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe(seconds)
    expect(await response.json()).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: `Too many requests. Try again in ${text}.`,
    })
  }
})
