import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readMacKey } from '../macKey.ts'
import { addSessionKey, clampSessionSeconds } from './addSessionKey.ts'

let custody: TestCustody
let context: { macKey: Uint8Array; now: () => number }
let user: TestUser
beforeAll(async () => {
  custody = await startTestCustody()
  const { db } = custody.store
  context = { macKey: await readMacKey(db, custody.deps.keyEncryption), now: () => custody.deps.now?.() ?? 0 }
  user = await custody.createUser()
})
afterAll(() => custody.close())

const add = (options: { expirationSeconds?: number; invalidateExisting?: boolean } = {}) => {
  const key = createApiKeyPair()
  const parameters = { userId: user.userId, orgId: user.orgId, name: 'session', publicKey: key.publicKey, ...options }
  return custody.store.db
    .transaction()
    .execute((db) => addSessionKey(context, db, { ...parameters, type: 'CREDENTIAL_TYPE_LOGIN' }))
    .then((session) => ({ ...session, key }))
}
const readStatus = async (key: TestUser['key']) =>
  (await custody.call('query/whoami', { organizationId: user.orgId }, key)).status
const readCode = async (key: TestUser['key']) =>
  (await custody.call('query/whoami', { organizationId: user.orgId }, key)).body.details[0].turnkeyErrorCode

test('default', async () => {
  const { key } = await add()
  expect(await readStatus(key)).toBe(200)
  custody.advance(901_000)
  expect(await readCode(key)).toBe('API_KEY_EXPIRED')
})

test('param: expirationSeconds is clamped', async () => {
  const life = async (expirationSeconds: number) =>
    (await add({ expirationSeconds })).expiresAt.getTime() - context.now()
  const near = (ms: number) => ({ asymmetricMatch: (value: number) => Math.abs(value - ms) < 10_000 })
  expect([await life(1), await life(900_000)]).toEqual([near(60_000), near(86_400_000)])
})

test('behavior: ten at most: the expired make room first, then the oldest', async () => {
  await add({ invalidateExisting: true })
  const short = await add({ expirationSeconds: 60 })
  const kept = []
  for (let index = 0; index < 8; index++) kept.push(await add({ expirationSeconds: 3600 }))
  custody.advance(61_000)
  // The short one has ended and makes room: no other is revoked.
  kept.push(await add({ expirationSeconds: 3600 }))
  expect(await readCode(short.key)).toBe('PUBLIC_KEY_NOT_FOUND')
  for (const { key } of kept) expect(await readStatus(key)).toBe(200)
  kept.push(await add({ expirationSeconds: 3600 }), await add({ expirationSeconds: 3600 }))
  expect(await readCode(kept[0]?.key ?? user.key)).toBe('CREDENTIAL_NOT_FOUND')
  for (const { key } of kept.slice(1)) expect(await readStatus(key)).toBe(200)
})

test('behavior: log-ins at once count each other', async () => {
  await Promise.all(Array.from({ length: 14 }, () => add({ expirationSeconds: 3600 })))
  const { rows } = await custody.store.pool.query(
    'select count(*)::int from credentials where user_id = $1 and expires_at is not null and revoked_at is null',
    [user.userId],
  )
  expect(rows).toEqual([{ count: 10 }])
})

test('param: invalidateExisting', async () => {
  const before = await add()
  const after = await add({ invalidateExisting: true })
  expect(await readCode(before.key)).toBe('CREDENTIAL_NOT_FOUND')
  expect(await readStatus(after.key)).toBe(200)
})

test('error: a key that was revoked never comes back', async () => {
  const { key } = await add()
  await add({ invalidateExisting: true })
  await expect(
    addSessionKey(context, custody.store.db, {
      userId: user.userId,
      orgId: user.orgId,
      name: 'again',
      publicKey: key.publicKey,
    }),
  ).rejects.toMatchObject({ code: 'CREDENTIAL_CONFLICT', status: 400 })
})

test('default: life of a session key', () => {
  expect(clampSessionSeconds()).toBe(900)
  expect(clampSessionSeconds(3600)).toBe(3600)
})

test('behavior: its life is within a minute and a day; milliseconds of old clients too', () => {
  expect([1, 59, 60, 86_400, 86_401, 900_000].map(clampSessionSeconds)).toEqual([60, 60, 60, 86_400, 86_400, 86_400])
})
