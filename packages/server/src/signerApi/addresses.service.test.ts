import { startTestSignerApi, testApiKey, testOrigin } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { takeCustodyToken } from '../custody/custodyTokens.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { signerApiApp } from './app.ts'

const api = await startTestSignerApi({ exemptLoopback: false })
afterAll(() => api.close())

test('limits callers of the signer API by their own address', async () => {
  const { orgId, key } = await api.custody.createUser()
  const behindProxy = signerApiApp({ ...api.deps, trustedProxies: 1 })
  const ask = async (ip: string) => {
    const query = JSON.stringify({ organizationId: orgId })
    const url = `https://custody.example${custodyPaths.whoami}`
    const body = JSON.stringify({ stampedRequest: { body: query, stamp: createStamp(query, key), url } })
    const headers = { authorization: `Bearer ${testApiKey}`, 'x-forwarded-for': ip }
    const response = await behindProxy.request('/signer/v1/whoami', { method: 'POST', headers, body })
    return [response.status, ((await response.json()) as { code?: string }).code]
  }
  const busy = { key: 'custody 198.51.100.9', limit: 1, windowMs: 7_200_000 }
  await takeCustodyToken(api.custody.store.db, busy)
  expect(await ask('198.51.100.9')).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  expect(await ask('198.51.100.10')).toEqual([200, undefined])
})

test('limits the public configuration by address', async () => {
  const limits = { requestsPerIp: { limit: 2, windowMs: 3_600_000 } }
  const app = signerApiApp({ ...api.deps, limits, trustedProxies: 1 })
  const ask = async (ip: string) => {
    const headers = { 'x-forwarded-for': ip, origin: testOrigin }
    const response = await app.request('/signer/v1/config', { headers })
    return [response.status, response.headers.has('access-control-allow-origin')]
  }
  expect([await ask('203.0.113.8'), await ask('203.0.113.8')]).toEqual([
    [200, true],
    [200, true],
  ])
  expect(await ask('203.0.113.8')).toEqual([429, true])
  expect(await ask('203.0.113.9')).toEqual([200, true])
})
