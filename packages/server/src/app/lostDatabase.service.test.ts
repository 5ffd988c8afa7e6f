import { startTestDatabase } from '@latchkey/testkit/database'
import { startAllRoles } from '@latchkey/testkit/startAllRoles'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'

const all = await startAllRoles()
afterAll(() => all.close())

const origin = 'https://app.example'

/** Without CORS headers, a web page sees only "Failed to fetch": no error code and no retry time. */
test.each([false, true])('lets pages read errors of a lost database, after requests: %s', async (isUsed) => {
  const database = await startTestDatabase({ migrated: true })
  const server = await all.start(['custody', 'signer-api', 'gateway'], { databaseUrl: database.url })
  const send = (path: string, init: RequestInit, from = origin) =>
    server.fetch(new Request(`https://any.example${path}`, { ...init, headers: { ...init.headers, origin: from } }))
  const paths = [custodyPaths.whoami, '/signer/v1/lookup', `/v2/${all.apiKey}`]
  const call: RequestInit = { method: 'POST', body: '{}', headers: { authorization: `Bearer ${all.apiKey}` } }
  const preflight: RequestInit = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }
  if (isUsed) for (const path of paths) await send(path, call)
  await database.close()
  for (const path of paths) {
    for (const init of [preflight, call]) {
      const { status, headers } = await send(path, init)
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, origin])
      if (path === '/signer/v1/lookup') expect(status).toBe(init === call ? 503 : 204)
    }
    const stranger = await send(path, preflight, 'https://evil.example')
    expect([path, stranger.headers.get('access-control-allow-origin')]).toEqual([path, null])
  }
  await server.close()
})
