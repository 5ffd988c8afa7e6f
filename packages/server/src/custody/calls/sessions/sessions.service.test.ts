import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { type ApiKey, custodyCalls, newApiKey, refusal } from '@latchkey/testkit/custodyCalls'
import { openBundle } from '@latchkey/testkit/openBundle'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'

const custody = await startTestCustody()
afterAll(() => custody.close())

const { submit, whoami, addKeys } = custodyCalls(() => custody)
const minute = 60_000
const stepUpRefused = {
  status: 403,
  body: { code: 7, message: expect.stringContaining('For your safety, sign in again first. ') },
}
async function later<result>(work: () => Promise<result>, ms: number): Promise<result> {
  custody.advance(ms)
  try {
    return await work()
  } finally {
    custody.advance(-ms)
  }
}

test('makes a session no fresher than the credential that made it', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const login = async (by?: ApiKey) => {
    const { key, parameters } = newApiKey()
    const { publicKey } = parameters
    const request = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', user.orgId, { publicKey, expirationSeconds: '3600' })
    const answer = by
      ? await custody.call('submit/stamp_login', request, by)
      : await custody.callByPasskey('submit/stamp_login', request, passkey)
    expect(answer.status).toBe(200)
    return { ...user, key }
  }
  const first = await login()
  await later(async () => {
    const second = await login(first.key)
    await later(async () => {
      expect(await addKeys(second, [newApiKey().parameters])).toMatchObject(stepUpRefused)
      expect((await addKeys(await login(), [newApiKey().parameters])).status).toBe(200)
    }, 2 * minute)
  }, 4 * minute)
})

test('finds the person of a passkey by the parent, for `stamp_login` alone', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const { key, parameters } = newApiKey()
  const { publicKey } = parameters
  const login = (orgId: string, by: typeof passkey) => {
    const request = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', orgId, { publicKey, expirationSeconds: '3600' })
    return custody.callByPasskey('submit/stamp_login', request, by)
  }
  const stranger = createAuthenticator()
  stranger.register()
  const unknown = refusal(401, 16, 'CREDENTIAL_NOT_FOUND')
  expect(await login(custody.rootOrganizationId, stranger)).toMatchObject({
    status: unknown.status,
    body: { code: unknown.body.code },
  })
  expect(await login(randomUUID(), passkey)).toMatchObject({ status: 404 })
  const { status, body } = await login(custody.rootOrganizationId, passkey)
  expect([status, body.activity.organizationId]).toEqual([200, user.orgId])
  expect(await whoami(user.orgId, key)).toBe(200)
  const sign = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', custody.rootOrganizationId, {})
  expect((await custody.callByPasskey('submit/sign_raw_payload', sign, passkey)).status).toBeGreaterThanOrEqual(400)
})

test('ends every other session on request of `stamp_login`', async () => {
  const user = await custody.createUser()
  const { key, parameters } = newApiKey()
  const { publicKey } = parameters
  expect((await submit('stamp_login', user, { publicKey, invalidateExisting: true })).status).toBe(200)
  expect([await whoami(user.orgId, user.key), await whoami(user.orgId, key)]).toEqual([401, 200])
  expect(await submit('stamp_login', { ...user, key }, { publicKey })).toMatchObject(
    refusal(400, 3, 'CREDENTIAL_CONFLICT'),
  )
  expect(await submit('stamp_login', { ...user, key }, { publicKey: `04${'11'.repeat(64)}` })).toMatchObject({
    status: 400,
  })
})

test('creates read-write sessions of versions 1 and 2 for their own user', async () => {
  const user = await custody.createUser()
  const target = frame()
  const attempts: [object, string, string][] = [
    [{ email: user.email.toUpperCase(), expirationSeconds: '600' }, '', 'createReadWriteSessionResult'],
    [{ userId: user.userId, apiKeyName: 'mine' }, '_V2', 'createReadWriteSessionResultV2'],
    [{ invalidateExisting: false }, '_V2', 'createReadWriteSessionResultV2'],
  ]
  for (const [parameters, version, name] of attempts) {
    const request = { targetPublicKey: target.targetPublicKey, ...parameters }
    const { body } = await submit('create_read_write_session', user, request, version)
    const result = body.activity.result[name]
    expect(result).toEqual({
      organizationId: user.orgId,
      organizationName: 'User',
      userId: user.userId,
      username: 'User',
      apiKeyId: expect.any(String),
      credentialBundle: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{113,118}$/),
    })
    const privateKey = await openBundle(result.credentialBundle, target.privateKey)
    const session = {
      publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
      privateKey: Buffer.from(privateKey).toString('hex'),
    }
    expect(await whoami(user.orgId, session)).toBe(200)
  }
  const wrong: [object, string][] = [
    [{ email: 'other@example.com' }, ''],
    [{ userId: randomUUID() }, '_V2'],
  ]
  for (const [parameters, version] of wrong) {
    const request = { targetPublicKey: target.targetPublicKey, ...parameters }
    const answer = await submit('create_read_write_session', user, request, version)
    expect(answer).toMatchObject(refusal(403, 7, 'REQUEST_NOT_AUTHORIZED'))
  }
  const broken = await submit('create_read_write_session', user, { targetPublicKey: '04' }, '_V2')
  expect(broken).toMatchObject({ status: 400 })
})

function frame() {
  const privateKey = p256.utils.randomSecretKey()
  return { privateKey, targetPublicKey: Buffer.from(p256.getPublicKey(privateKey, false)).toString('hex') }
}
