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

test('default', async () => {
  const app = appWith((origin) => origin === 'https://a.example')
  const answer = await app.request('/', { headers: { origin: 'https://a.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://a.example')
  expect(answer.headers.get('vary')).toBe('Origin')
  const allowed = await app.request('/', preflight)
  expect(Object.fromEntries(allowed.headers)).toEqual({
    'access-control-allow-headers': 'X-A',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-origin': 'https://a.example',
    'access-control-max-age': '600',
    vary: 'Origin',
  })
})

test('error: another origin gets nothing', async () => {
  const app = appWith(async () => false)
  const answer = await app.request('/', preflight)
  expect([answer.status, ...answer.headers]).toEqual([204, ['vary', 'Origin']])
  expect((await app.request('/')).headers.has('access-control-allow-origin')).toBe(false)
})

test('param: isAllowed any', async () => {
  const answer = await appWith('any').request('/', { headers: { origin: 'https://x.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})
