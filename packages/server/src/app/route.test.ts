import { expect, test } from 'vitest'
import type { Role } from './options.ts'
import { type App, route } from './route.ts'

const named = (name: string): App => ({ fetch: () => new Response(name) })
const all = new Map<Role, App>([
  ['custody', named('custody')],
  ['signer-api', named('signer-api')],
  ['gateway', named('gateway')],
  ['frames', named('frames')],
])
const ask = async (apps: ReadonlyMap<Role, App>, path: string) =>
  (await route(apps, new Request(`http://localhost${path}`))).text()

test('default', async () => {
  const paths = [
    '/public/v1/query/whoami',
    '/signer/v1/lookup',
    '/v2/key',
    '/v2',
    '/',
    '/main.js',
    '/v2x',
    '/publications',
  ]
  expect(await Promise.all(paths.map((path) => ask(all, path)))).toEqual([
    'custody',
    'signer-api',
    'gateway',
    'gateway',
    'frames',
    'frames',
    'frames',
    'frames',
  ])
})

test('behavior: the only role answers everything', async () => {
  expect(await ask(new Map([['custody', named('custody')]]), '/anything')).toBe('custody')
})

test('behavior: health', async () => {
  expect(JSON.parse(await ask(all, '/healthz'))).toEqual({
    status: 'ok',
    roles: ['custody', 'signer-api', 'gateway', 'frames'],
  })
})

test('error: a path of no role', async () => {
  const apps = new Map([...all].filter(([role]) => role !== 'frames'))
  const response = await route(apps, new Request('http://localhost/x'))
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    404,
    'Nothing is served at this path. Roles of this server: custody, signer-api, gateway.',
  ])
})

test('behavior: hands the connection on to the app', async () => {
  const env = { incoming: {} }
  let given: object | undefined
  const app: App = {
    fetch(_request, handed) {
      given = handed
      return new Response()
    },
  }
  await route(new Map([['custody', app]]), new Request('http://localhost/public/x'), env)
  expect(given).toBe(env)
})
