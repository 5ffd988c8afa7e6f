import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi } from '@latchkey/testkit/signerApi'
import { startTestIssuer } from '@latchkey/testkit/startTestIssuer'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createTotp } from '../../../dev/src/testing/createTotp.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'

// The requests and responses are those of `@account-kit/signer` 4.88.5.

const own = await startTestIssuer({ id: 'own', client: undefined })
const hidingKey = 'hiding-api-key'
const common = { name: 'App', redirectUrls: ['https://app.example/'], allowedOrigins: [] }
const api = await startTestSignerApi({
  project: { signerCodes: 'allowed', oidcProviders: [own.provider] },
  projects: [{ ...common, id: 'hiding', apiKey: hidingKey, signerCodes: 'allowed', hidesAccounts: true }],
})
afterAll(() => Promise.all([api.close(), own.close()]))

const stepMs = 30_000
const now = () => api.custody.deps.now?.() ?? 0
const show = (app: createTotp.ReturnType) => app.code({ atMs: now() })
type Key = createStamp.ApiKey
type Frame = Awaited<ReturnType<typeof createTestFrame>>
type User = { email: string; orgId: string; key: Key }

async function askForCode(email: string, path: 'signup' | 'auth', more: object = { emailMode: 'otp' }) {
  const frame = await createTestFrame()
  const { targetPublicKey } = frame
  const { status, json } = await api.post(path, { email, targetPublicKey, ...more })
  if (status !== 200) return { status, json, frame, request: undefined }
  const { orgId, otpId } = json
  return { status, json, frame, request: { orgId, otpId, otpCode: api.readCode(email), targetPublicKey } }
}

async function signUp(): Promise<User> {
  const email = `user-${randomUUID()}@example.com`
  const { request, frame } = await askForCode(email, 'signup')
  const { json } = await api.post('otp', request)
  return { email, orgId: request?.orgId, key: await frame.open(json.credentialBundle) }
}

function byWord({ orgId, key }: User, path: string, word: string, { given = {}, ageMs = 0, signs = true } = {}) {
  const body = JSON.stringify({
    organizationId: orgId,
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(now() - ageMs),
    parameters: {
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
      payload: word,
      signWith: '0x0000000000000000000000000000000000000001',
    },
  })
  const url = `https://api.turnkey.com${signs ? custodyPaths.signRawPayload : custodyPaths.whoami}`
  return api.post(path, { stampedRequest: { body, stamp: createStamp(body, key), url }, ...given })
}

async function enroll(user: User) {
  const { json } = await byWord(user, 'auth-request-multi-factor', 'add_mfa', { given: { multiFactorType: 'totp' } })
  const app = createTotp(json.multiFactorTotpUrl)
  const { multiFactorId } = json
  const given = { multiFactorId, multiFactorCode: show(app) }
  const verified = await byWord(user, 'auth-verify-multi-factor', 'verify_mfa', { given })
  api.custody.advance(2 * stepMs)
  return { app, multiFactorId, verified, multiFactor: { multiFactorId, multiFactorType: 'totp' } }
}

const isSession = async (orgId: string, frame: Frame, bundle: string) => {
  const reply = await api.custody.call('query/whoami', { organizationId: orgId }, await frame.open(bundle))
  return reply.status === 200
}

// First, since the other tests move custody's clock away from that of the provider.
test('answers a token by a sealed payload, which the factor opens once', async () => {
  const claims = { sub: randomUUID() }
  const frame = await createTestFrame()
  const { targetPublicKey } = frame
  const signIn = async () =>
    (await api.post('auth-jwt', { jwt: await own.sign({ boundTo: targetPublicKey, claims }), targetPublicKey })).json
  const { orgId, credentialBundle } = await signIn()
  const { app, multiFactor } = await enroll({ email: '', orgId, key: await frame.open(credentialBundle) })
  const first = await signIn()
  expect(first).toEqual({
    status: 'MFA_REQUIRED',
    encryptedPayload: expect.any(String),
    multiFactors: [multiFactor],
    orgId,
  })
  const enter = () =>
    api.post('auth-validate-multi-factors', {
      encryptedPayload: first.encryptedPayload,
      multiFactors: [{ multiFactorId: multiFactor.multiFactorId, multiFactorCode: show(app) }],
    })
  expect(await isSession(orgId, frame, (await enter()).json.payload.credentialBundle)).toBe(true)
  api.custody.advance(2 * stepMs)
  expect((await enter()).json).toMatchObject({ code: 'OIDC_TOKEN_INVALID' })
})

test('lists, sets up and removes factors by stamped words', async () => {
  const user = await signUp()
  const list = async () => (await byWord(user, 'auth-list-multi-factors', 'list_mfas')).json
  expect(await list()).toEqual({ multiFactors: [] })
  const { verified, multiFactor } = await enroll(user)
  expect(verified).toMatchObject({ status: 200, json: { multiFactors: [multiFactor] } })
  expect(await list()).toEqual({ multiFactors: [multiFactor] })
  const given = { multiFactorIds: [multiFactor.multiFactorId] }
  expect((await byWord(user, 'auth-delete-multi-factors', 'delete_mfas', { given })).json).toEqual({ multiFactors: [] })
  expect(await list()).toEqual({ multiFactors: [] })
})

test('refuses words that are wrong, stale, of others or stamped for another call', async () => {
  const [user, other] = [await signUp(), await signUp()]
  const list = (who: User, word: string, more?: object) => byWord(who, 'auth-list-multi-factors', word, more)
  expect((await list(user, 'add_mfa')).json).toMatchObject({ code: 'REQUEST_INVALID' })
  for (const ageMs of [6 * 60_000, -6 * 60_000])
    expect((await list(user, 'list_mfas', { ageMs })).json).toMatchObject({ code: 'REQUEST_INVALID' })
  expect((await list({ ...user, key: other.key }, 'list_mfas')).status).toBe(401)
  expect((await list(user, 'list_mfas', { signs: false })).status).toBe(400)
  api.custody.advance(7 * 60_000)
  const late = await byWord(user, 'auth-request-multi-factor', 'add_mfa', { given: { multiFactorType: 'totp' } })
  expect(late).toMatchObject({ status: 403, json: { code: 'REQUEST_NOT_AUTHORIZED' } })
})

test('never signs a word', async () => {
  const user = await signUp()
  for (const word of ['list_mfas', 'add_mfa', 'verify_mfa', 'delete_mfas'])
    expect((await byWord(user, 'sign-payload', word)).status).toBeGreaterThanOrEqual(400)
})

test('answers a code by a sealed payload, which the factor opens once', async () => {
  const user = await signUp()
  const { app, multiFactor } = await enroll(user)
  const { frame, request } = await askForCode(user.email, 'auth')
  const first = await api.post('otp', request)
  const { encryptedPayload } = first.json
  expect(first).toMatchObject({
    status: 200,
    json: { status: 'MFA_REQUIRED', encryptedPayload: expect.any(String), multiFactors: [multiFactor] },
  })
  expect(Object.keys(first.json)).not.toContain('credentialBundle')
  expect(Buffer.from(encryptedPayload, 'base64url').toString('latin1')).not.toContain(request?.otpCode)
  const enter = (multiFactorCode: string, payload = encryptedPayload, headers?: Record<string, string>) => {
    const multiFactors = [{ multiFactorId: multiFactor.multiFactorId, multiFactorCode }]
    return api.post('auth-validate-multi-factors', { encryptedPayload: payload, multiFactors }, headers)
  }
  expect(await enter('000000')).toMatchObject({
    status: 400,
    json: { code: 'MFA_INVALID', message: expect.stringContaining('Invalid MFA code') },
  })
  for (const [payload, headers] of [
    [`${encryptedPayload.slice(0, -2)}AA`],
    [encryptedPayload, { authorization: `Bearer ${hidingKey}` }],
  ] as [string, Record<string, string>?][])
    expect((await enter(show(app), payload, headers)).json).toMatchObject({ code: 'OTP_EXPIRED' })
  const entered = await enter(show(app))
  expect(await isSession(user.orgId, frame, entered.json.payload.credentialBundle)).toBe(true)
  api.custody.advance(2 * stepMs)
  expect((await enter(show(app))).json).toMatchObject({ code: 'OTP_EXPIRED' })
})

test('accepts the factor with the code', async () => {
  const user = await signUp()
  const { app, multiFactor } = await enroll(user)
  const { frame, request } = await askForCode(user.email, 'auth')
  const multiFactors = [{ multiFactorId: multiFactor.multiFactorId, multiFactorCode: show(app) }]
  const { json } = await api.post('otp', { ...request, multiFactors })
  expect(await isSession(user.orgId, frame, json.credentialBundle)).toBe(true)
})

test('mails no link before the factor', async () => {
  const user = await signUp()
  const { app, multiFactor } = await enroll(user)
  const ask = (more: object) => askForCode(user.email, 'auth', more)
  for (const more of [{}, { emailMode: 'magicLink' }])
    expect(await ask(more)).toMatchObject({
      status: 403,
      json: { code: 'MFA_REQUIRED', data: { multiFactors: [multiFactor] } },
    })
  await ask({ emailMode: 'otp' })
  expect(() => api.readLink(user.email)).toThrow('No link')
  const multiFactors = [{ multiFactorId: multiFactor.multiFactorId, multiFactorCode: show(app) }]
  const { frame } = await ask({ multiFactors })
  const bundle = api.readLink(user.email).searchParams.get('bundle') ?? ''
  expect(await isSession(user.orgId, frame, bundle)).toBe(true)
})

test('tells nobody who has a factor where the project hides accounts', async () => {
  const user = await signUp()
  await enroll(user)
  const { targetPublicKey } = await createTestFrame()
  const body = { email: user.email, targetPublicKey }
  const { status, json } = await api.post('auth', body, { authorization: `Bearer ${hidingKey}` })
  expect([status, Object.keys(json).sort()]).toEqual([200, ['orgId', 'otpId', 'otpLength']])
  expect(() => api.readLink(user.email)).toThrow('No link')
})
