import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createTestFrame, startTestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { hashMessage, recoverAddress } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { clientHeaders } from '../platform/http/cors.ts'

const otherOrigin = 'https://other.example'

const api = await startTestSignerApi({
  // As in production, rate limits also apply to loopback requests.
  exemptLoopback: false,
  projects: [{ id: 'other', name: 'Other', apiKey: 'other-api-key', redirectUrls: [], allowedOrigins: [otherOrigin] }],
})

afterAll(() => api.close())

function newEmail(): string {
  return `user-${randomUUID()}@example.com`
}

function stamped(path: string, body: string, key: createStamp.ApiKey) {
  return { stampedRequest: { body, stamp: createStamp(body, key), url: `https://api.turnkey.com${path}` } }
}

function whoami(organizationId: string, key: createStamp.ApiKey) {
  return api.post('whoami', stamped(custodyPaths.whoami, JSON.stringify({ organizationId }), key))
}

function signHello(user: { orgId: string; address: string }, key: createStamp.ApiKey) {
  return api.post('sign-payload', stamped(custodyPaths.signRawPayload, JSON.stringify(api.custody.signing(user)), key))
}

async function signUp(email = newEmail()) {
  const frame = await createTestFrame()
  const { status, json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey })
  expect(status).toBe(200)
  const link = api.readLink(email)
  expect(link.searchParams.get('orgId')).toBe(json.orgId)
  const key = await frame.open(link.searchParams.get('bundle') ?? '')
  return { email, orgId: json.orgId as string, key }
}

test('signs up, signs a payload and signs in again', async () => {
  const email = newEmail()
  expect(await api.post('lookup', { email })).toMatchObject({ status: 200, json: { orgId: null } })
  const { orgId, key } = await signUp(email)
  expect((await api.post('lookup', { email })).json).toEqual({ orgId: null })

  const { status, json: user } = await whoami(orgId, key)
  expect(status).toBe(200)
  expect(user).toEqual({
    email,
    orgId,
    userId: expect.any(String),
    address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  })
  expect((await api.post('lookup', { email: ` ${email.toUpperCase()} ` })).json).toEqual({ orgId })

  const { json } = await signHello(user, key)
  expect(Object.keys(json)).toEqual(['signature'])
  expect(json.signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/)
  expect(await recoverAddress({ hash: hashMessage('hello'), signature: json.signature })).toBe(user.address)

  const frame = await createTestFrame()
  expect((await api.post('auth', { email, targetPublicKey: frame.targetPublicKey })).json).toEqual({
    orgId,
    otpId: expect.any(String),
    otpLength: 9,
  })
  const again = await frame.open(api.readLink(email).searchParams.get('bundle') ?? '')
  expect((await whoami(orgId, again)).json).toEqual(user)
})

test('signs up by passkey and signs in by it through the parent', async () => {
  const authenticator = createAuthenticator()
  const signup = await api.post('signup', { passkey: authenticator.register() })
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
  const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)
  expect(signup).toMatchObject({ status: 200 })
  expect(signup.json).toEqual({ orgId: id, userId: id, address })

  const stampedBy = (path: string, body: string) => {
    const stamp = { stampHeaderName: 'X-Stamp-Webauthn', stampHeaderValue: authenticator.stamp(body) }
    return { stampedRequest: { body, stamp, url: `https://api.turnkey.com${path}` } }
  }
  for (const organizationId of [api.custody.rootOrganizationId, signup.json.orgId]) {
    const whoamiBody = JSON.stringify({ organizationId })
    expect(await api.post('whoami', stampedBy(custodyPaths.whoami, whoamiBody))).toMatchObject({
      status: 200,
      json: signup.json,
    })
  }
  const { orgId, address: signWith } = signup.json
  const body = JSON.stringify(api.custody.signing({ orgId, address: signWith }))
  const { json } = await api.post('sign-payload', stampedBy(custodyPaths.signRawPayload, body))
  expect(await recoverAddress({ hash: hashMessage('hello'), signature: json.signature })).toBe(signup.json.address)
})

test('refuses missing and unknown keys and foreign origins', async () => {
  const paths = ['lookup', 'signup', 'auth', 'whoami', 'sign-payload']
  for (const path of paths) {
    for (const authorization of ['', 'Bearer unknown-key', 'Basic test-api-key', 'test-api-key'])
      expect(await api.post(path, {}, { authorization })).toMatchObject({
        status: 401,
        json: { code: 'UNAUTHENTICATED', message: expect.stringContaining('API key') },
      })
    for (const origin of ['https://evil.example', otherOrigin, `${testOrigin}1`, 'null'])
      expect(await api.post(path, {}, { origin })).toMatchObject({ status: 403, json: { code: 'ORIGIN_NOT_ALLOWED' } })
    expect(await api.post(path, {}, { origin: testOrigin, authorization: 'Bearer other-api-key' })).toMatchObject({
      status: 403,
    })
  }
})

test('answers registered origins by CORS with every client header', async () => {
  const preflight = (origin: string, headers: string, path = 'lookup', method = 'POST') =>
    api.app.request(`/signer/v1/${path}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
    })
  const wanted = [...clientHeaders].sort()
  const allowed = await preflight(testOrigin, wanted.join(','))
  expect(allowed.headers.get('access-control-allow-origin')).toBe(testOrigin)
  expect(allowed.headers.get('access-control-allow-methods')).toBe('POST')
  expect(allowed.headers.get('access-control-allow-headers')?.split(/, */).sort()).toEqual(wanted)
  const foreign = await preflight('https://evil.example', 'authorization')
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull()

  const failed = await api.post('lookup', { email: 'nobody' }, { origin: testOrigin })
  expect(failed.json).toEqual({ code: 'INVALID_EMAIL', message: 'Must provide a valid email.' })
  expect(failed.headers.get('access-control-allow-origin')).toBe(testOrigin)
})

test('publishes the configuration of the asking project', async () => {
  const { urls } = api.deps
  const config = async (headers: Record<string, string>) => {
    const response = await api.app.request('/signer/v1/config', { headers })
    expect(response.headers.get('access-control-allow-origin')).toBe(headers.origin ? '*' : null)
    expect(response.headers.get('vary')).toBe('Authorization, Origin')
    return response.json()
  }
  const shared = {
    custodyUrl: urls.custody,
    rootOrgId: api.custody.rootOrganizationId,
    boundQueries: true,
    readsPayloads: true,
  }
  expect(await config({ origin: 'https://any.example' })).toEqual({
    ...shared,
    authFrameUrl: urls.authFrame,
    exportFrameUrl: urls.exportFrame,
    importFrameUrl: urls.importFrame,
  })
  const other = {
    ...shared,
    authFrameUrl: `${urls.authFrame}/?project=other`,
    exportFrameUrl: `${urls.exportFrame}/?project=other`,
    importFrameUrl: `${urls.importFrame}/?project=other`,
    projectId: 'other',
  }
  expect(await config({ origin: otherOrigin })).toEqual(other)
  expect(await config({ authorization: 'Bearer other-api-key' })).toEqual(other)
  expect(await config({ authorization: 'Bearer other-api-key', origin: testOrigin })).toEqual(other)
})

test('refuses malformed bodies', async () => {
  const { targetPublicKey } = await createTestFrame()
  const cases: [string, unknown, string][] = [
    ['lookup', '{"email":', 'JSON'],
    ['lookup', {}, 'email'],
    ['lookup', { email: ['a@example.com'] }, 'email'],
    ['auth', { email: 'a@example.com', targetPublicKey: targetPublicKey.slice(2) }, 'targetPublicKey'],
    ['signup', { email: 'a@example.com', targetPublicKey: `04${'11'.repeat(64)}` }, 'not a point of P-256'],
    ['auth', { email: 'a@example.com', targetPublicKey, expirationSeconds: -1 }, 'expirationSeconds'],
    ['auth', { email: 'a@example.com', targetPublicKey, redirectParams: 'a'.repeat(2049) }, 'redirectParams'],
    ['whoami', { stampedRequest: { body: '{}', url: 'x' } }, 'stampedRequest.stamp'],
  ]
  for (const [path, body, text] of cases)
    expect(await api.post(path, body)).toMatchObject({
      status: 400,
      json: { code: 'REQUEST_INVALID', message: expect.stringContaining(text) },
    })
  const large = await api.post('lookup', { email: 'a'.repeat(70_000) })
  expect(large).toMatchObject({ status: 413, json: { code: 'BODY_TOO_LARGE' } })
})

test('does not contact the host of a stamped request', async () => {
  const { orgId, key } = await signUp()
  const request = stamped(custodyPaths.whoami, JSON.stringify({ organizationId: orgId }), key)
  request.stampedRequest.url = `http://169.254.169.254${custodyPaths.whoami}`
  expect(await api.post('whoami', request)).toMatchObject({ status: 200, json: { orgId } })
})

test('forwards stamped bodies byte by byte', async () => {
  const { orgId, key } = await signUp()
  const escaped = orgId.replace('-', '\\u002d')
  for (const body of [
    ` {\n\t"organizationId" : "${orgId}"\r\n} `,
    `{"organizationId":"${escaped}"}`,
    `{"\\u006frganizationId":"${orgId.toUpperCase()}"}`,
  ])
    expect(await api.post('whoami', stamped(custodyPaths.whoami, body, key)), body).toMatchObject({
      status: 200,
      json: { orgId },
    })
  // If a member is repeated, the last one counts, both here and at custody.
  const twice = `{"organizationId":"${orgId}","organizationId":"${randomUUID()}"}`
  expect((await api.post('whoami', stamped(custodyPaths.whoami, twice, key))).status).toBe(404)
})
