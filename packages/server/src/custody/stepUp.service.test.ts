import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { custodyApp } from './app.ts'

const custody = await startTestCustody()
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
    message: expect.stringMatching(/^For your safety, sign in again first\. /),
    details: [{ turnkeyErrorCode: 'REQUEST_NOT_AUTHORIZED' }],
  },
}

test('refuses a new key without an expiration', async () => {
  const user = await custody.createUser()
  const key = createApiKeyPair()
  const addition = custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS_V2', user.orgId, {
    userId: user.userId,
    apiKeys: [{ apiKeyName: 'program', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
  })
  expect((await custody.call('submit/create_api_keys', addition, user.key)).status).toBe(200)
  expect(await exportWith(user, key)).toMatchObject(refusal)
})

test('erases the bundle once the request can no longer be repeated', async () => {
  const user = await custody.createUser()
  const { activity } = (await exportWith(user)).body
  const read = async () =>
    (await custody.call('query/get_activity', { organizationId: user.orgId, activityId: activity.id }, user.key)).body
      .activity.result
  expect((await read()).exportWalletAccountResult.exportBundle).toContain('v1.0.0')
  custody.advance(66 * 60_000)
  expect(await read()).toEqual({})
  // A running server erases the result from the database at its start, and then every ten minutes.
  const closers: (() => Promise<void>)[] = []
  await custodyApp({ ...custody.deps, onClose: (closer) => closers.push(closer) })
  const stored = `select result::text from activities where id = '${activity.id}'`
  await expect.poll(async () => (await custody.store.pool.query(stored)).rows).toEqual([{ result: '{}' }])
  for (const close of closers) await close()
})

test('warns when step-up is off for all or for one parent', async () => {
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
