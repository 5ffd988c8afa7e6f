import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { cors } from './cors.ts'

function appWith(isAllowed: cors.Options['isAllowed']) {
  const app = new Hono()
  app.use('*', cors({ isAllowed, allowHeaders: ['X-A'], allowMethods: ['GET', 'POST'] }))
  app.get('/', (context) => context.text('ok'))
  return app
}
const preflight = {
  method: 'OPTIONS',
  headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
}

test('answers an allowed origin', async () => {
  const app = appWith((origin) => origin === 'https://a.example')
  const response = await app.request('/', { headers: { origin: 'https://a.example' } })
  expect(response.headers.get('access-control-allow-origin')).toBe('https://a.example')
  expect(response.headers.get('access-control-expose-headers')).toBe('Date, Retry-After, X-Request-Id')
  expect(response.headers.get('vary')).toBe('Origin')
  const allowed = await app.request('/', preflight)
  expect(Object.fromEntries(allowed.headers)).toEqual({
    'access-control-allow-headers': 'X-A',
    'access-control-allow-methods': 'GET,POST',
    'access-control-allow-origin': 'https://a.example',
    'access-control-max-age': '7200',
    vary: 'Origin, Access-Control-Request-Headers',
  })
})

test('gives another origin nothing', async () => {
  const app = appWith(async () => false)
  const response = await app.request('/', preflight)
  expect([response.status, ...response.headers]).toEqual([204, ['vary', 'Origin']])
  for (const headers of [{}, { origin: 'https://b.example' }]) {
    const refused = await app.request('/', { headers })
    expect(refused.status).toBe(200)
    expect([...refused.headers].filter(([name]) => name !== 'content-type')).toEqual([['vary', 'Origin']])
  }
})

test('sends the same headers with errors', async () => {
  const app = appWith((origin) => origin === 'https://a.example')
  app.onError((_, context) => context.json({}, 500))
  app.get('/broken', () => {
    throw new TypeError('broken')
  })
  const response = await app.request('/broken', { headers: { origin: 'https://a.example' } })
  expect([response.status, response.headers.get('access-control-allow-origin'), response.headers.get('vary')]).toEqual([
    500,
    'https://a.example',
    'Origin',
  ])
  const refused = await app.request('/broken', { headers: { origin: 'https://b.example' } })
  expect([refused.status, ...refused.headers]).toEqual([500, ['content-type', 'application/json'], ['vary', 'Origin']])
})

test('allows any origin on request', async () => {
  const response = await appWith('any').request('/', { headers: { origin: 'https://x.example' } })
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('vary')).toBe('Origin')
})
