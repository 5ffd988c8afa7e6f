import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createTestFrame, startTestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { signerApiApp } from './app.ts'

// The requests and responses are those of `@account-kit/signer` 4.88.5.

const refusedKey = 'refused-api-key'
const hidingKey = 'hiding-api-key'
const common = { name: 'App', redirectUrls: [], allowedOrigins: [] }
const api = await startTestSignerApi({
  project: { signerCodes: 'preferred', codes: 'six-digits', confirmations: 'mail' },
  projects: [
    { ...common, id: 'refused', apiKey: refusedKey },
    { ...common, id: 'hiding', apiKey: hidingKey, signerCodes: 'allowed', hidesAccounts: true },
  ],
})
afterAll(() => api.close())

const newEmail = () => `user-${randomUUID()}@example.com`
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

async function askForCode(email = newEmail()) {
  const frame = await createTestFrame()
  const { targetPublicKey } = frame
  const { json } = await api.post('signup', { email, targetPublicKey, expirationSeconds: 900 })
  const { orgId, otpId } = json as { orgId: string; otpId: string }
  return {
    email,
    frame,
    request: { orgId, otpId, otpCode: api.readCode(email), expirationSeconds: 900, targetPublicKey },
  }
}

function whoami(orgId: string, key: createStamp.ApiKey) {
  const body = JSON.stringify({ organizationId: orgId })
  const stamp = createStamp(body, key)
  return api.post('whoami', { stampedRequest: { body, stamp, url: `https://api.turnkey.com${custodyPaths.whoami}` } })
}

test('signs up by a code and lists sign-in methods without the address and names', async () => {
  expect(await api.post('signer-config', {})).toMatchObject({ status: 200, json: { email: { mode: 'OTP' } } })
  const { email, frame, request } = await askForCode()
  expect(request.otpCode).toMatch(/^\d{6}$/)
  const list = () => api.post('list-auth-methods', { suborgId: request.orgId })
  expect((await list()).json).toEqual({ oauthProviders: [], passkeys: [] })

  const { status, json } = await api.post('otp', request)
  expect([status, Object.keys(json)]).toEqual([200, ['credentialBundle']])
  const key = await frame.open(json.credentialBundle)
  const { json: user } = await whoami(request.orgId, key)
  expect(user).toMatchObject({ email, orgId: request.orgId })

  const passkey = createAuthenticator({ origin: testOrigin })
  const authenticators = [{ authenticatorName: 'passkey-1', ...passkey.register() }]
  const parameters = { userId: user.userId, authenticators }
  const addition = api.custody.activity('ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', request.orgId, parameters)
  expect(await api.custody.call('submit/create_authenticators', addition, key)).toMatchObject({ status: 200 })
  expect((await list()).json).toEqual({
    email: `${email.slice(0, 1)}***${email.slice(email.indexOf('@'))}`,
    oauthProviders: [],
    passkeys: [{ authenticatorId: expect.any(String), name: 'Passkey 1', createdAt: expect.any(Number) }],
  })
})

test('refuses organizations of another parent and of a project that hides accounts', async () => {
  const { request } = await askForCode()
  const orgId = randomUUID()
  expect((await api.post('otp', { ...request, orgId })).json).toMatchObject({ code: 'ORGANIZATION_NOT_FOUND' })
  const [otp, list] = [api.post('otp', {}), api.post('list-auth-methods', { suborgId: orgId })]
  expect(await Promise.all([otp, list])).toMatchObject([{ status: 400 }, { status: 404 }])
  const hidden = await api.post('list-auth-methods', { suborgId: request.orgId }, bearer(hidingKey))
  expect(hidden).toMatchObject({ status: 400, json: { code: 'METHOD_NOT_SUPPORTED' } })
})

test('limits lists of sign-in methods by address', async () => {
  const limited = signerApiApp({
    ...api.deps,
    exemptLoopback: false,
    limits: { listsPerIp: { limit: 2, windowMs: 60_000 } },
  })
  const env = { incoming: { socket: { remoteAddress: '192.0.2.7' } } }
  const init = { method: 'POST', headers: bearer('test-api-key'), body: JSON.stringify({ suborgId: randomUUID() }) }
  const statuses: number[] = []
  for (let count = 0; count < 3; count++)
    statuses.push((await limited.request('/signer/v1/list-auth-methods', init, env)).status)
  expect(statuses).toEqual([404, 404, 429])
})

test('explains unsupported methods', async () => {
  const paths = ['update-phone-auth', 'multi-owner-create']
  for (const path of [...paths, 'add-oauth-provider']) {
    const { status, json } = await api.post(path, {})
    expect([status, json.code, json.error]).toEqual([400, 'METHOD_NOT_SUPPORTED', json.message])
    expect(json.message).toMatch(/Use |has no|Send /)
  }
  const { targetPublicKey } = await createTestFrame()
  for (const [path, body] of [
    ['lookup', { phone: '+15550100' }],
    ['signup', { phone: '+15550100', targetPublicKey }],
    ['auth', { phone: '+15550100', targetPublicKey }],
    ['lookup', { accessKey: { publicKey: '02' } }],
  ] as const)
    expect(await api.post(path, body)).toMatchObject({ status: 400, json: { code: 'METHOD_NOT_SUPPORTED' } })
})
