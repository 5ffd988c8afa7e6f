import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestAdmin, type TestAdmin } from '@latchkey/testkit/startTestAdmin'
import { consoleHeader, headers as wireHeaders } from 'latchkey-protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../platform/http/listen.ts'
import { verifyRegistration } from '../webauthn/verifyRegistration.ts'
import { consoleApp } from './app.ts'

// The console as operators reach it, over the admin API itself.

const origin = 'https://console.example'
const passkey = createAuthenticator({ rpId: 'console.example', origin })
let admin: TestAdmin
let adminServer: listen.ReturnType
let pagesDir: string
let app: ReturnType<typeof consoleApp>

beforeAll(async () => {
  const { challenge, attestation } = passkey.register()
  const { credentialId, publicKey } = verifyRegistration({ challenge, attestation, allowedOrigins: [origin] })
  const operators = [
    { id: randomUUID(), name: 'Ada', role: 'operator' as const, passkeys: [{ credentialId, publicKey }] },
  ]
  admin = await startTestAdmin({ console: { url: origin, operators } })
  adminServer = await listen((request, env) => admin.app.fetch(request, env), { port: 0 })
  pagesDir = mkdtempSync(join(tmpdir(), 'latchkey-test-console-'))
  writeFileSync(join(pagesDir, 'index.html'), '<!doctype html><title>Console</title>')
  app = consoleApp({ adminUrl: adminServer.url, publicUrl: origin, pagesDir, config: { a: 1 } })
})

afterAll(async () => {
  await adminServer?.close()
  await admin?.close()
  rmSync(pagesDir, { recursive: true, force: true })
})

type Ask = { method?: string; body?: string; headers?: Record<string, string>; cookie?: string; from?: string }

/** As a browser sends it from a page of `from`. */
async function ask(path: string, { method = 'GET', body, headers = {}, cookie, from = origin }: Ask = {}) {
  const request = new Request(origin + path, {
    method,
    headers: {
      ...(method !== 'GET' && from !== '' && { origin: from }),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  })
  const response = await app.fetch(request)
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : {},
  }
}

const own = { [consoleHeader]: '1' }

async function signIn() {
  const { challenge } = (await ask('/session/challenge', { method: 'POST', body: '{}', headers: own })).body
  const body = JSON.stringify({ challenge })
  const stamp = { [wireHeaders.webauthnStamp]: passkey.stamp(body) }
  const reply = await ask('/session', { method: 'POST', body, headers: { ...own, ...stamp } })
  expect(reply.status).toBe(201)
  const [set = ''] = reply.headers.getSetCookie()
  const [cookie = ''] = set.split(';')
  return {
    set,
    cookie,
    token: reply.body.pageToken as string,
    text: reply.text,
    page: { [consoleHeader]: reply.body.pageToken },
  }
}

test('default: signing in sets a cookie that no script reads, and calls are that operator’s', async () => {
  const { set, cookie, text, page } = await signIn()
  expect(set).toMatch(/^__Host-latchkey-console=lks_/)
  for (const part of ['HttpOnly', 'Secure', 'SameSite=Strict', 'Path=/']) expect(set).toContain(part)
  expect(set).not.toContain('Domain')
  expect(text).not.toContain(cookie.split('=')[1])
  const self = await ask('/admin/v1/operator', { cookie, headers: page })
  expect([self.status, self.body.name, self.body.role]).toEqual([200, 'Ada', 'operator'])
  const config = await ask('/config.json', { cookie })
  expect(config.body).toEqual({ a: 1, signIn: 'passkey', pageToken: page[consoleHeader] })
  expect((await ask('/config.json')).body).toEqual({ a: 1, signIn: 'passkey' })
})

test('error: calls that are not the page’s own do nothing', async () => {
  const { cookie, page } = await signIn()
  const other = await signIn()
  const path = '/admin/v1/projects/shop/policies'
  const make = { method: 'POST', body: JSON.stringify({ id: 'planted', rules: {} }) }
  const cases: [string, Ask, number, string][] = [
    ['without the token', { ...make, cookie }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['with any token', { ...make, cookie, headers: own }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['with the token of another session', { ...make, cookie, headers: other.page }, 403, 'ORIGIN_NOT_ALLOWED'],
    [
      'from another origin',
      { ...make, cookie, headers: page, from: 'https://evil.example' },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
    ['from a sibling', { ...make, cookie, headers: page, from: 'https://app.example' }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['from an opaque origin', { ...make, cookie, headers: page, from: 'null' }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['without an origin', { ...make, cookie, headers: page, from: '' }, 403, 'ORIGIN_NOT_ALLOWED'],
    ['without a session', { ...make, headers: page }, 401, 'UNAUTHENTICATED'],
    [
      'with a bearer instead',
      { ...make, headers: { ...own, authorization: `Bearer ${admin.secrets.admin}` } },
      401,
      'UNAUTHENTICATED',
    ],
    [
      'with a made-up cookie',
      { ...make, cookie: '__Host-latchkey-console=lks_1', headers: own },
      403,
      'ORIGIN_NOT_ALLOWED',
    ],
  ]
  for (const [name, given, status, code] of cases) {
    const reply = await ask(path, given)
    expect([name, reply.status, reply.body.error.code]).toEqual([name, status, code])
  }
  expect((await admin.call('get', '/projects/shop/policies')).body.items).toEqual([])
  expect((await ask(path, { ...make, cookie, headers: page })).status).toBe(201)
  // Reads of other pages get nothing to read, and what they get is not theirs to embed.
  const read = await ask('/admin/v1/log', { cookie, headers: { ...page, origin: 'https://evil.example' } })
  expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([403, null])
  expect((await ask('/join')).headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

test('behavior: signing out ends the session here and at the admin API, and a second time is no error', async () => {
  const { cookie, page } = await signIn()
  expect((await ask('/session', { method: 'DELETE', cookie })).status).toBe(403)
  const out = await ask('/session', { method: 'DELETE', cookie, headers: page })
  expect([out.status, out.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
  const after = await ask('/admin/v1/operator', { cookie, headers: page })
  expect([after.status, after.body.error.code]).toEqual([401, 'UNAUTHENTICATED'])
  expect((await ask('/session', { method: 'DELETE', cookie, headers: page })).status).toBe(204)
})

test('error: the admin API is away: nobody is signed in, and signing out still forgets the session', async () => {
  const { cookie, page } = await signIn()
  const alone = consoleApp({ adminUrl: 'http://127.0.0.1:1', publicUrl: origin, pagesDir })
  const send = (path: string, method: string) =>
    alone.fetch(new Request(origin + path, { method, headers: { origin, cookie, ...page } }))
  const begun = await send('/session/challenge', 'POST')
  expect([begun.status, (await begun.json()).error.code]).toEqual([503, 'NETWORK_UNREACHABLE'])
  const out = await send('/session', 'DELETE')
  expect([out.status, out.headers.getSetCookie()[0]]).toEqual([503, expect.stringContaining('Max-Age=0')])
})

test('error: the console without a login signs nobody in', async () => {
  const open = consoleApp({ adminUrl: adminServer.url, operatorSecret: 'lko_x', pagesDir })
  const response = await open.fetch(
    new Request('http://localhost:4106/session/challenge', { method: 'POST', headers: own }),
  )
  expect(response.status).toBe(404)
})
