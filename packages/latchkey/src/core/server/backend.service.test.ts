import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startAccessTokens } from '@latchkey/testkit/accessTokens'
import { afterAll, expect, test } from 'vitest'
import { listen } from '../../../../server/src/platform/http/listen.ts'
import { createAccessTokenCookie } from './createAccessTokenCookie.ts'
import { verifyAccessToken } from './verifyAccessToken.ts'

/** Tests the routes of docs/guides/backend.md, and the cookie of the app's server. */

const tokens = await startAccessTokens()
afterAll(() => tokens.close())
const { projectId, signerApiUrl } = tokens

test.each(['fetch', 'hono', 'express'] as const)('identifies the user in the %s example', async (name) => {
  process.env.LATCHKEY_PROJECT = projectId
  process.env.LATCHKEY_SIGNER_API = signerApiUrl
  const { url, close } = await serve(name)
  const ask = (token: string) => fetch(`${url}/api/orders`, { headers: { authorization: `Bearer ${token}` } })
  const { sub } = await verifyAccessToken({ token: tokens.own, projectId, signerApiUrl })
  expect(await (await ask(tokens.own)).json()).toEqual({ orders: [], for: sub })
  for (const wrong of [tokens.foreign, 'none', '']) expect((await ask(wrong)).status).toBe(401)
  await close()
})

async function serve(name: 'fetch' | 'hono' | 'express'): Promise<{ url: string; close(): Promise<void> }> {
  if (name !== 'express') {
    const app =
      name === 'hono'
        ? (await import('../../../../../examples/backend/hono.ts')).app.fetch
        : (await import('../../../../../examples/backend/fetch.ts')).handle
    return listen((request) => app(request), { port: 0 })
  }
  const { app } = await import('../../../../../examples/backend/express.ts')
  const server: Server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

const url = 'https://app.example/api/session'
const own = { 'sec-fetch-site': 'same-origin' }
const post = (token: string, headers: Record<string, string> = own) =>
  new Request(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, ...headers } })
const cookieOf = (response: Response) => response.headers.get('set-cookie')?.split(';')[0] ?? ''

test('sets a host-only cookie that expires with the token', async () => {
  const { exp, sub } = await verifyAccessToken({ token: tokens.own, projectId, signerApiUrl })
  const session = createAccessTokenCookie({ projectId, signerApiUrl, now: () => (exp - 100) * 1000 })
  const response = await session.handle(post(tokens.own))
  expect([response.status, response.headers.get('cache-control')]).toEqual([204, 'no-store'])
  expect(response.headers.get('set-cookie')).toBe(
    `__Host-latchkey-access-token=${tokens.own}; Max-Age=100; Path=/; HttpOnly; SameSite=Lax; Secure`,
  )
  const page = (headers: Record<string, string>) => session.read(new Request('https://app.example/', { headers }))
  expect(await page({ cookie: `a=b; ${cookieOf(response)}; c=d` })).toMatchObject({ sub })
  expect(await page({})).toBeUndefined()
  const removed = await session.handle(new Request(url, { method: 'DELETE', headers: own }))
  expect(removed.headers.get('set-cookie')).toMatch(/^__Host-latchkey-access-token=; Max-Age=0; Path=\/; HttpOnly/)
  const plain = createAccessTokenCookie({
    projectId,
    signerApiUrl,
    isSecure: false,
    sameSite: 'Strict',
    name: 'session',
  })
  expect((await plain.handle(post(tokens.own))).headers.get('set-cookie')).toMatch(
    /^session=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
  )
})

test('refuses tokens of another project, both to set and to read the cookie', async () => {
  const session = createAccessTokenCookie({ projectId, signerApiUrl })
  for (const token of [tokens.foreign, 'none', `${tokens.own}; Domain=example`]) {
    const response = await session.handle(post(token))
    expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null])
  }
  const headers = { cookie: `__Host-latchkey-access-token=${tokens.foreign}` }
  expect(await session.read(new Request(url, { headers }))).toBeUndefined()
  // A sibling host can write a cookie without the prefix.
  const planted = { cookie: `latchkey-access-token=${tokens.own}` }
  expect(await session.read(new Request(url, { headers: planted }))).toBeUndefined()
})

test('tolerates clock differences when reading, and stores no expired token', async () => {
  const { exp } = await verifyAccessToken({ token: tokens.own, projectId, signerApiUrl })
  const at = (seconds: number) =>
    createAccessTokenCookie({ projectId, signerApiUrl, now: () => (exp + seconds) * 1000 })
  const request = new Request(url, { headers: { cookie: `__Host-latchkey-access-token=${tokens.own}` } })
  expect(await at(29).read(request)).toBeDefined()
  expect(await at(30).read(request)).toBeUndefined()
  expect((await at(-1).handle(post(tokens.own))).status).toBe(204)
  expect((await at(0).handle(post(tokens.own))).status).toBe(401)
})

test('ignores the cookie in state-changing requests from other sites, which cannot set or remove it', async () => {
  const session = createAccessTokenCookie({ projectId, signerApiUrl })
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]
  const cookie = `__Host-latchkey-access-token=${tokens.own}`
  const change = (headers: Record<string, string>) =>
    session.read(new Request(url, { method: 'POST', headers: { cookie, ...headers } }))
  for (const headers of foreign) {
    expect((await session.handle(post(tokens.own, headers))).status).toBe(403)
    expect((await session.handle(new Request(url, { method: 'DELETE', headers }))).status).toBe(403)
    expect(await change(headers)).toBeUndefined()
    // `Lax` cookies are sent when another site links to the app.
    expect(await session.read(new Request(url, { headers: { cookie, ...headers } }))).toBeDefined()
  }
  for (const headers of [own, { origin: 'https://app.example' }, {}]) expect(await change(headers)).toBeDefined()
  expect((await session.handle(new Request(url))).status).toBe(405)
})

test('throws if the keys cannot be fetched, since nothing is known about the user', async () => {
  const session = createAccessTokenCookie({ projectId, signerApiUrl: `${signerApiUrl}/elsewhere` })
  await expect(session.handle(post(tokens.own))).rejects.toMatchObject({ code: 'HTTP_FAILED' })
})
