import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readMacKey } from '../macKey.ts'
import { addSessionKey, clampSessionSeconds } from './addSessionKey.ts'

let context: { macKey: Uint8Array; now: () => number }
const custody = await startTestCustody()
const { db } = custody.store
context = { macKey: await readMacKey(db, custody.deps.keyEncryption), now: () => custody.deps.now?.() ?? 0 }
const user = await custody.createUser()
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

test('expires after 15 minutes', async () => {
  const { key } = await add()
  expect(await readStatus(key)).toBe(200)
  custody.advance(901_000)
  expect(await readCode(key)).toBe('API_KEY_EXPIRED')
})

test('keeps ten sessions, evicting expired ones first and then the oldest', async () => {
  await add({ invalidateExisting: true })
  const short = await add({ expirationSeconds: 60 })
  const kept = []
  for (let index = 0; index < 8; index++) kept.push(await add({ expirationSeconds: 3600 }))
  custody.advance(61_000)
  kept.push(await add({ expirationSeconds: 3600 }))
  expect(await readCode(short.key)).toBe('PUBLIC_KEY_NOT_FOUND')
  for (const { key } of kept) expect(await readStatus(key)).toBe(200)
  kept.push(await add({ expirationSeconds: 3600 }), await add({ expirationSeconds: 3600 }))
  expect(await readCode(kept[0]?.key ?? user.key)).toBe('CREDENTIAL_NOT_FOUND')
  for (const { key } of kept.slice(1)) expect(await readStatus(key)).toBe(200)
})

test('counts concurrent log-ins', async () => {
  await Promise.all(Array.from({ length: 14 }, () => add({ expirationSeconds: 3600 })))
  const { rows } = await custody.store.pool.query(
    'select count(*)::int from credentials where user_id = $1 and expires_at is not null and revoked_at is null',
    [user.userId],
  )
  expect(rows).toEqual([{ count: 10 }])
})

test('refuses a revoked key forever', async () => {
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

test('clamps session lifetimes between a minute and a day, including milliseconds of old clients', () => {
  expect([clampSessionSeconds(), clampSessionSeconds(3600)]).toEqual([900, 3600])
  expect([1, 59, 60, 86_400, 86_401, 900_000].map(clampSessionSeconds)).toEqual([60, 60, 60, 86_400, 86_400, 86_400])
})
