import { createHash } from 'node:crypto'
import { linkTemplate, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { toPrefixedMessage } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../../platform/crypto/createStamp.ts'
import { createRequestLimits } from '../createRequestLimits.ts'
import { takeCustodyToken } from '../custodyTokens.ts'

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const path = 'submit/sign_raw_payload'

function request(changes: object = {}) {
  return JSON.stringify({ ...custody.signing(user), ...changes })
}

test('answers a repeated request with the first activity', async () => {
  const text = request()
  const first = await custody.call(path, text, user.key)
  const again = await custody.call(path, text, user.key)
  expect(again).toEqual(first)
  expect(first.body.activity.fingerprint).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
})

test('executes eight concurrent copies of a request once', async () => {
  const { db } = custody.store
  const target =
    '04917b01cee808e4c75c64f3e09a9b09327c67b6772997bec68da953c9d584db73ee745892a489ab2f86d417a8c53fdb3b0e41ae6db19369dd7626dbafd89a337f'
  const text = JSON.stringify(
    custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
      email: user.email,
      targetPublicKey: target,
      emailCustomization: { magicLinkTemplate: linkTemplate },
    }),
  )
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => custody.call('submit/email_auth', text, custody.rootKey)),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  const { activity } = answers[0]?.body ?? {}
  const mails = await db.selectFrom('mail_outbox').selectAll().where('org_id', '=', user.orgId).execute()
  expect(mails.map((mail) => mail.activity_id)).toEqual([activity.id])
  const keys = await db
    .selectFrom('credentials')
    .select('id')
    .where('user_id', '=', user.userId)
    .where('email_session', '=', true)
    .execute()
  expect(keys.map((key) => key.id)).toEqual([activity.result.emailAuthResult.apiKeyId])
})

test('stores the exact body and stamp of an activity', async () => {
  const text = request()
  const { body } = await custody.call(path, text, user.key)
  const rowQuery = custody.store.db.selectFrom('activity_log').selectAll().where('activity_id', '=', body.activity.id)
  const row = await rowQuery.executeTakeFirstOrThrow()
  expect(Buffer.from(row.body).toString()).toBe(text)
  expect(row.credential_public_key).toBe(user.key.publicKey)
  expect(row.stamp).toMatch(/^X-Stamp: /)
  expect(row.user_id).toBe(user.userId)
})

test('does not store a failed activity, which can be sent again', async () => {
  const text = JSON.stringify(custody.signing(user, '0x12'))
  const { db } = custody.store
  const before = await db.selectFrom('activities').select('id').execute()
  expect((await custody.call(path, text, user.key)).status).toBe(400)
  expect((await custody.call(path, text, user.key)).status).toBe(400)
  expect(await db.selectFrom('activities').select('id').execute()).toHaveLength(before.length)
})

test('refuses a tampered body', async () => {
  const text = request()
  const { stampHeaderValue } = createStamp(text, user.key)
  const tampered = text.replace(toPrefixedMessage('hello'), toPrefixedMessage('hullo'))
  const { status, body } = await custody.send(`/public/v1/${path}`, tampered, { 'x-stamp': stampHeaderValue })
  expect([status, body.code, body.details[0].turnkeyErrorCode]).toEqual([401, 16, 'SIGNATURE_INVALID'])
})

test('refuses timestamps older than an hour or five minutes ahead', async () => {
  const at = (ms: number) => request({ timestampMs: String((custody.deps.now?.() ?? 0) + ms) })
  const minute = 60_000
  expect((await custody.call(path, at(-59 * minute), user.key)).status).toBe(200)
  expect((await custody.call(path, at(4 * minute), user.key)).status).toBe(200)
  expect(await custody.call(path, at(-61 * minute), user.key)).toMatchObject({
    status: 400,
    body: { code: 3, message: 'The activity is too old: timestampMs lies too far in the past.' },
  })
  expect(await custody.call(path, at(6 * minute), user.key)).toMatchObject({
    status: 400,
    body: { code: 3, message: 'timestampMs lies in the future. Check the clock of this device.' },
  })
  expect((await custody.call(path, request({ timestampMs: 5 }), user.key)).body.message).toContain('timestampMs')
  expect((await custody.call(path, request({ timestampMs: 'soon' }), user.key)).body.message).toContain('timestampMs')
})

test('limits the activities of an organization per minute', async () => {
  const { db } = custody.store
  const [limited, other] = [await custody.createUser(), await custody.createUser()]
  const make = ({ orgId, key }: TestUser) => {
    const body = custody.activity('ACTIVITY_TYPE_CREATE_WALLET', orgId, { walletName: 'W', accounts: [] })
    return custody.call('submit/create_wallet', body, key)
  }
  // Sends more requests than the limit refills during the test.
  await takeCustodyToken(db, { key: `activities ${limited.orgId}`, limit: 1, windowMs: 7_200_000 })
  expect(await make(limited)).toMatchObject({
    status: 429,
    body: { code: 8, details: [{ turnkeyErrorCode: 'RATE_LIMIT_EXCEEDED' }] },
  })
  const payload = { signWith: limited.address, payload: 'x', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' }
  const signing = { ...payload, hashFunction: 'HASH_FUNCTION_SHA256' }
  const body = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', limited.orgId, signing)
  expect((await custody.call(path, body, limited.key)).status).toBe(429)
  expect((await make(other)).status).toBe(200)
})

test('limits the queries of an organization per minute', async () => {
  const [limited, other] = [await custody.createUser(), await custody.createUser()]
  await takeCustodyToken(custody.store.db, { key: `queries ${limited.orgId}`, limit: 1, windowMs: 7_200_000 })
  const list = ({ orgId, key }: TestUser) => custody.call('query/list_wallets', { organizationId: orgId }, key)
  expect((await list(limited)).status).toBe(429)
  expect((await list(other)).status).toBe(200)
})

test('keeps unstamped requests out of the stamped budget of an organization', async () => {
  const { orgId, key, address } = await custody.createUser()
  await takeCustodyToken(custody.store.db, { key: `unstamped activities ${orgId}`, limit: 1, windowMs: 7_200_000 })
  const guess = custody.activity('ACTIVITY_TYPE_OTP_AUTH', orgId, {
    otpId: orgId,
    otpCode: '000000',
    targetPublicKey: `04${'11'.repeat(64)}`,
  })
  expect((await custody.send('/public/v1/submit/otp_auth', JSON.stringify(guess))).status).toBe(429)
  const signing = { signWith: address, payload: 'x', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' }
  const hashed = { ...signing, hashFunction: 'HASH_FUNCTION_SHA256' }
  const body = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', orgId, hashed)
  expect((await custody.call(path, body, key)).status).toBe(200)
})

test('does not limit the activities of a parent organization', async () => {
  const { db } = custody.deps
  const id = custody.rootOrganizationId
  await takeCustodyToken(db, { key: `activities ${id}`, limit: 1, windowMs: 3_600_000 })
  const { takeActivity } = createRequestLimits(db)
  await expect(takeActivity({ id, parentId: null }, { isStamped: true })).resolves.toBeUndefined()
})
