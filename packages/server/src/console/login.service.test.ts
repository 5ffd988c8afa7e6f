import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { consoleHeader, headers as wireHeaders } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { listen } from '../platform/http/listen.ts'
import { verifyRegistration } from '../webauthn/verifyRegistration.ts'
import { consoleApp } from './app.ts'

const origin = 'https://console.example'
const passkey = createAuthenticator({ rpId: 'console.example', origin })

const { challenge, attestation } = passkey.register()
const { credentialId, publicKey } = verifyRegistration({ challenge, attestation, allowedOrigins: [origin] })
const operators = [
  { id: randomUUID(), name: 'Ada', role: 'operator' as const, passkeys: [{ credentialId, publicKey }] },
]
const admin = await startTestAdmin({ console: { url: origin, operators } })
const adminServer = await listen((request, env) => admin.app.fetch(request, env), { port: 0 })
const pagesDir = mkdtempSync(join(tmpdir(), 'latchkey-test-console-'))
writeFileSync(join(pagesDir, 'index.html'), '<!doctype html><title>Console</title>')
const app = consoleApp({ adminUrl: adminServer.url, publicUrl: origin, pagesDir, config: { a: 1 } })

afterAll(async () => {
  await adminServer.close()
  await admin.close()
  rmSync(pagesDir, { recursive: true, force: true })
})

type Ask = { method?: string; body?: string; headers?: Record<string, string>; cookie?: string; from?: string }

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
  const token: string = reply.body.pageToken
  return { set, cookie, text: reply.text, page: { [consoleHeader]: token } }
}

test('signs in with a cookie hidden from scripts and calls as the operator', async () => {
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

test("refuses calls that are not the page's own", async () => {
  const { cookie, page } = await signIn()
  const other = await signIn()
  const path = '/admin/v1/projects/shop/policies'
  const make = { method: 'POST', body: JSON.stringify({ id: 'planted', rules: {} }) }
  const [bearer, name] = [{ authorization: `Bearer ${admin.secrets.admin}` }, '__Host-latchkey-console']
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
    ['with a bearer instead', { ...make, headers: { ...own, ...bearer } }, 401, 'UNAUTHENTICATED'],
    ['with a made-up cookie', { ...make, cookie: `${name}=lks_1`, headers: own }, 403, 'ORIGIN_NOT_ALLOWED'],
  ]
  for (const [how, given, status, code] of cases) {
    const reply = await ask(path, given)
    expect([how, reply.status, reply.body.error.code]).toEqual([how, status, code])
  }
  expect((await admin.call('get', '/projects/shop/policies')).body.items).toEqual([])
  expect((await ask(path, { ...make, cookie, headers: page })).status).toBe(201)
  // Other pages can neither read nor embed the console.
  const read = await ask('/admin/v1/log', { cookie, headers: { ...page, origin: 'https://evil.example' } })
  expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([403, null])
  expect((await ask('/join')).headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

test('signs out here and at the admin API, repeatably', async () => {
  const { cookie, page } = await signIn()
  expect((await ask('/session', { method: 'DELETE', cookie })).status).toBe(403)
  const out = await ask('/session', { method: 'DELETE', cookie, headers: page })
  expect([out.status, out.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
  const after = await ask('/admin/v1/operator', { cookie, headers: page })
  expect([after.status, after.body.error.code]).toEqual([401, 'UNAUTHENTICATED'])
  expect((await ask('/session', { method: 'DELETE', cookie, headers: page })).status).toBe(204)
})

test('signs nobody in without the admin API and still forgets the session on sign-out', async () => {
  const { cookie, page } = await signIn()
  const alone = consoleApp({ adminUrl: 'http://127.0.0.1:1', publicUrl: origin, pagesDir })
  const send = (path: string, method: string) =>
    alone.fetch(new Request(origin + path, { method, headers: { origin, cookie, ...page } }))
  const begun = await send('/session/challenge', 'POST')
  expect([begun.status, (await begun.json()).error.code]).toEqual([503, 'NETWORK_UNREACHABLE'])
  const out = await send('/session', 'DELETE')
  expect([out.status, out.headers.getSetCookie()[0]]).toEqual([503, expect.stringContaining('Max-Age=0')])
})

test('signs nobody in on a console without a login', async () => {
  const open = consoleApp({ adminUrl: adminServer.url, operatorSecret: 'lko_x', pagesDir })
  const request = new Request('http://localhost:4106/session/challenge', { method: 'POST', headers: own })
  expect((await open.fetch(request)).status).toBe(404)
})
