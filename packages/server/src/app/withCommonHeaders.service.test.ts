import { type AllRoles, startAllRoles } from '@latchkey/testkit/startAllRoles'
import { afterAll, expect, test } from 'vitest'

const apiKey = 'long-enough-key'
const all = await startAllRoles()
afterAll(() => all.close())

/** API responses allow no scripts, framing or caching. */
const api = { csp: /^default-src 'none'; frame-ancestors 'none'$/, cache: 'no-store' }
const page = {
  csp: /^default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors https:\/\/app\.example$/,
  cache: 'no-store',
}
const lonely = { csp: /; frame-ancestors 'none'$/, cache: 'no-store' }
const app = { origin: 'https://app.example' }
const bearer = { authorization: `Bearer ${apiKey}` }
const preflight = { 'access-control-request-method': 'POST' }

const rows: [
  server: keyof AllRoles['servers'],
  path: string,
  status: number,
  expected: typeof api,
  init?: RequestInit,
][] = [
  ['apis', '/healthz', 200, api],
  ['apis', '/nothing', 404, api],
  ['apis', '/public/v1/submit/none', 404, api, { method: 'POST', body: '{}' }],
  ['apis', '/public/v1/query/whoami', 401, api, { method: 'POST', body: '{}', headers: app }],
  ['apis', '/signer/v1/lookup', 401, api, { method: 'POST', body: '{}', headers: app }],
  ['apis', '/signer/v1/signer-config', 200, api, { method: 'POST', body: '{}', headers: { ...app, ...bearer } }],
  ['apis', '/signer/none', 401, api],
  ['apis', `/v2/${apiKey}`, 200, api, { method: 'POST', body: '{}', headers: app }],
  ['apis', '/v2/another-key', 401, api, { method: 'POST', body: '{}', headers: app }],
  ['apis', `/v2/${apiKey}`, 204, api, { method: 'OPTIONS', headers: { ...app, ...preflight } }],
  ['apis', '/admin/v1/projects', 401, api],
  ['apis', '/admin/v1/openapi.json', 200, api],
  ['auth', '/', 200, page],
  ['auth', '/?project=app', 200, page],
  ['auth', '/?project=none', 404, lonely],
  ['auth', '/confirm/', 200, lonely],
  ['auth', '/none', 404, lonely],
  ['auth', '/healthz', 200, api],
  ['export', '/', 200, page],
  ['export', '/export-and-sign', 200, page],
  ['import', '/?project=app', 200, page],
]

test.each(rows)('sends the security headers of %s %s (%i)', async (server, path, status, expected, init) => {
  const response = await all.servers[server].fetch(new Request(`https://any.example${path}`, init))
  const { headers } = response
  expect(response.status).toBe(status)
  expect(headers.get('content-security-policy')).toMatch(expected.csp)
  expect(Object.fromEntries(checked.map((name) => [name, headers.get(name)]))).toEqual({
    'cache-control': expected.cache,
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
  })
  // JSON has no charset (RFC 8259 § 11).
  const type = headers.get('content-type')
  if ((await response.text()) === '') expect(type).toBeNull()
  else expect(type).toMatch(/^(?:application\/json|text\/(?:html|plain); ?charset=utf-8)$/i)
  expect([headers.get('set-cookie'), headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null, null])
})

const checked = ['cache-control', 'referrer-policy', 'strict-transport-security', 'x-content-type-options']

test('does not bind localhost and development servers to https', async () => {
  const local = await all.servers.apis.fetch(new Request('http://localhost:8080/healthz'))
  expect(local.headers.get('strict-transport-security')).toBeNull()
  const development = await all.start(['frames'], { exemptLoopback: true })
  const response = await development.fetch(new Request('https://any.example/'))
  expect(response.headers.get('strict-transport-security')).toBeNull()
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  await development.close()
})
