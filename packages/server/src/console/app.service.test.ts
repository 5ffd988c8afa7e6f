import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consoleHeader } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { consoleApp } from './app.ts'

// A stub of the admin API records the console's requests.

const origin = 'http://localhost:4106'
const secret = 'lko_secret'
const asked: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = []

const pagesDir = mkdtempSync(join(tmpdir(), 'latchkey-test-console-'))
writeFileSync(join(pagesDir, 'index.html'), '<!doctype html><title>Console</title>')
writeFileSync(join(pagesDir, 'index-a1b2c3d4.js'), '0')
const admin = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const { method = '', url = '', headers } = request
  asked.push({ method, url, headers, body })
  response.writeHead(201, { 'content-type': 'application/json', etag: '"3"', 'set-cookie': 'a=b', server: 'x' })
  response.end('{"ok":true}')
})
admin.listen(0, '127.0.0.1')
await once(admin, 'listening')
const adminUrl = `http://127.0.0.1:${(admin.address() as AddressInfo).port}`

afterAll(() => {
  admin.close()
  rmSync(pagesDir, { recursive: true, force: true })
})

const makeApp = (url = adminUrl) => consoleApp({ adminUrl: url, operatorSecret: secret, pagesDir, config: { a: 1 } })
const ask = (path: string, init: RequestInit = {}, base = origin) =>
  makeApp().fetch(new Request(new URL(path, base), init))
const own = { [consoleHeader]: '1' }

test('forwards a call of the page as the operator and drops other headers', async () => {
  const response = await ask('/admin/v1/projects/a/policies/b?x=1', {
    method: 'PUT',
    headers: {
      ...own,
      origin,
      'if-match': '"2"',
      'content-type': 'application/json',
      cookie: 'c=d',
      authorization: 'no',
    },
    body: '{"rules":{}}',
  })
  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({ ok: true })
  expect(response.headers.get('etag')).toBe('"3"')
  for (const name of ['set-cookie', 'server']) expect(response.headers.get(name)).toBeNull()
  const { method, url, headers, body } = asked.at(-1) ?? {}
  expect([method, url, body]).toEqual(['PUT', '/admin/v1/projects/a/policies/b?x=1', '{"rules":{}}'])
  expect(headers).toMatchObject({ authorization: `Bearer ${secret}`, 'if-match': '"2"' })
  for (const name of ['cookie', 'origin', consoleHeader]) expect(headers).not.toHaveProperty(name)
})

test('forbids the page foreign resources and embedding', async () => {
  for (const path of ['/', '/operations/0x12', '/index.html']) {
    const response = await ask(path)
    expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
  }
  expect((await ask('/index-a1b2c3d4.js')).headers.get('cache-control')).toContain('immutable')
  expect((await ask('/absent.js')).status).toBe(404)
  expect(await (await ask('/config.json')).json()).toEqual({ a: 1 })
})

test.each([
  ['a call without the header of the page', '/admin/v1/log', {}, origin],
  ['a page of another origin', '/admin/v1/log', { ...own, origin: 'http://localhost:5173' }, origin],
  ['an opaque origin', '/admin/v1/log', { ...own, origin: 'null' }, origin],
  ['a host name rebound to this machine', '/admin/v1/log', own, 'http://evil.example:4106'],
  ['the page itself under such a name', '/', {}, 'http://evil.example:4106'],
])('refuses %s', async (_, path, headers, base) => {
  const before = asked.length
  const response = await ask(path, { headers }, base)
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ error: { code: 'ORIGIN_NOT_ALLOWED' } })
  expect(asked).toHaveLength(before)
})
