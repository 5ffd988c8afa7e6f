import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { custodyApp } from './app.ts'

let custody: TestCustody
beforeAll(async () => {
  custody = await startTestCustody()
})
afterAll(() => custody.close())

const exporting = ({ orgId, address }: TestUser) =>
  custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', orgId, {
    address,
    targetPublicKey: createTestExportFrame().targetPublicKey,
  })
const exportWith = (user: TestUser, key = user.key) =>
  custody.call('submit/export_wallet_account', exporting(user), key)
const refusal = {
  status: 403,
  body: {
    code: 7,
    message: expect.stringMatching(/^Sign in again to do this: /),
    details: [{ turnkeyErrorCode: 'REQUEST_NOT_AUTHORIZED' }],
  },
}

test('default: a session younger than five minutes', async () => {
  expect((await exportWith(await custody.createUser())).status).toBe(200)
})

test('error: an older session, a key without an end, a passkey that did not verify its user', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const key = createApiKeyPair()
  const addition = custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS_V2', user.orgId, {
    userId: user.userId,
    apiKeys: [{ apiKeyName: 'program', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
  })
  expect((await custody.call('submit/create_api_keys', addition, user.key)).status).toBe(200)
  expect(await exportWith(user, key)).toMatchObject(refusal)

  custody.advance(5 * 60_000)
  expect(await exportWith(user)).toMatchObject(refusal)
  const byPasskey = (flags: number) =>
    custody.callByPasskey('submit/export_wallet_account', exporting(user), passkey, { flags })
  expect(await byPasskey(0x01)).toMatchObject(refusal)
  expect((await byPasskey(0x05)).status).toBe(200)
})

test('error: an old session cannot regain step-up by making a new one', async () => {
  const user = await custody.createUser()
  custody.advance(5 * 60_000)
  const next = createApiKeyPair()
  const apiKey = {
    apiKeyName: 'x',
    publicKey: next.publicKey,
    curveType: 'API_KEY_CURVE_P256',
    expirationSeconds: '900',
  }
  const addition = custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS_V2', user.orgId, {
    userId: user.userId,
    apiKeys: [apiKey],
  })
  expect(await custody.call('submit/create_api_keys', addition, user.key)).toMatchObject(refusal)
  const login = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', user.orgId, { publicKey: next.publicKey })
  expect((await custody.call('submit/stamp_login', login, user.key)).status).not.toBe(200)
  const session = custody.activity('ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2', user.orgId, {
    targetPublicKey: createTestExportFrame().targetPublicKey,
  })
  expect((await custody.call('submit/create_read_write_session', session, user.key)).status).not.toBe(200)
})

test('behavior: the bundle is erased once the request can no longer be repeated', async () => {
  const user = await custody.createUser()
  const { activity } = (await exportWith(user)).body
  const read = async () =>
    (await custody.call('query/get_activity', { organizationId: user.orgId, activityId: activity.id }, user.key)).body
      .activity.result
  expect((await read()).exportWalletAccountResult.exportBundle).toContain('v1.0.0')
  custody.advance(66 * 60_000)
  expect(await read()).toEqual({})
  // A running server erases it for good, at the latest after ten minutes.
  const closers: (() => Promise<void>)[] = []
  await custodyApp({ ...custody.deps, onClose: (closer) => closers.push(closer) })
  const stored = `select result::text from activities where id = '${activity.id}'`
  await expect.poll(async () => (await custody.store.pool.query(stored)).rows).toEqual([{ result: '{}' }])
  for (const close of closers) await close()
})

test('param: stepUp off, for all or for one parent organization, is logged as a warning', async () => {
  const user = await custody.createUser()
  custody.advance(6 * 60_000)
  for (const [stepUp, status] of [
    ['off', 200],
    [{ [custody.rootOrganizationId]: 'off' }, 200],
    [{ '11111111-2222-4333-8444-555555555555': 'off' }, 403],
  ] as const) {
    const app = await custodyApp({ ...custody.deps, stepUp })
    expect(custody.logs.some((line) => line.includes('STEP-UP IS OFF'))).toBe(true)
    const body = JSON.stringify(exporting(user))
    const headers = { 'x-stamp': createStamp(body, user.key).stampHeaderValue }
    const answer = await app.request('/public/v1/submit/export_wallet_account', { method: 'POST', body, headers })
    expect(answer.status).toBe(status)
  }
})
