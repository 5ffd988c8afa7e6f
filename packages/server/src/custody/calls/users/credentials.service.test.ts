import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey, refusal, type Who } from '@latchkey/testkit/custodyCalls'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../../keys/createApiKeyPair.ts'
import { openMail } from '../../../keys/mailSeal.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

const { submit, whoami, addKeys } = custodyCalls(() => custody)
const minute = 60_000
const keysOf = async ({ orgId, userId, key }: Who): Promise<{ apiKeyId: string; apiKeyName: string }[]> =>
  (await custody.call('query/get_api_keys', { organizationId: orgId, userId }, key)).body.apiKeys
async function later<result>(work: () => Promise<result>, ms = 5 * minute + 1000): Promise<result> {
  custody.advance(ms)
  try {
    return await work()
  } finally {
    custody.advance(-ms)
  }
}
async function userWithoutEmail(rootUser: object): Promise<Who> {
  const key = createApiKeyPair()
  const apiKeys = [{ apiKeyName: 'session', publicKey: key.publicKey, expirationSeconds: '3600' }]
  const { orgId, userIds } = await custody.signUp([{ apiKeys, ...rootUser }])
  return { orgId, userId: userIds[0] ?? '', key }
}

async function signInByMail(user: { orgId: string; email: string }): Promise<void> {
  const { key } = await custody.askForMail(user)
  expect(await whoami(user.orgId, key)).toBe(200)
}

test('adds, uses and removes a key for good', async () => {
  const user = await custody.createUser()
  const { key, parameters } = newApiKey({ curveType: 'API_KEY_CURVE_P256' })
  const added = await submit('create_api_keys', user, { userId: user.userId, apiKeys: [parameters] }, '_V2')
  expect(Object.keys(added.body.activity.intent)).toEqual(['createApiKeysIntentV2'])
  const { apiKeyIds } = added.body.activity.result.createApiKeysResult
  expect(await whoami(user.orgId, key)).toBe(200)
  const removed = await submit('delete_api_keys', user, { userId: user.userId, apiKeyIds })
  expect(removed.body.activity.result).toEqual({ deleteApiKeysResult: { apiKeyIds } })
  expect(await whoami(user.orgId, key)).toBe(401)
  expect(await addKeys(user, [parameters])).toMatchObject(refusal(400, 3, 'CREDENTIAL_CONFLICT'))
  expect(await submit('delete_api_keys', user, { userId: user.userId, apiKeyIds })).toMatchObject(
    refusal(404, 5, 'NOT_FOUND'),
  )
})

test('allows ten keys without an expiration', async () => {
  const user = await custody.createUser()
  const ten = Array.from({ length: 10 }, () => newApiKey().parameters)
  expect((await addKeys(user, ten)).status).toBe(200)
  const answer = await addKeys(user, [newApiKey().parameters])
  expect(answer).toMatchObject(refusal(400, 3, 'REQUEST_INVALID'))
  expect(answer.body.message).toBe('A user can hold 10 API keys without an end. Delete one first.')
  expect(await keysOf(user)).toHaveLength(11)
})

test('refuses a duplicate key and stores nothing of the request', async () => {
  const user = await custody.createUser()
  const { parameters } = newApiKey()
  expect(await addKeys(user, [parameters, parameters])).toMatchObject({ status: 400 })
  const taken = { ...parameters, publicKey: user.key.publicKey }
  expect(await addKeys(user, [parameters, taken])).toMatchObject(refusal(400, 3, 'CREDENTIAL_CONFLICT'))
  expect(await keysOf(user)).toHaveLength(1)
})

test('allows logging out here and everywhere at any time', async () => {
  const user = await custody.createUser()
  const [one, two] = [newApiKey({ expirationSeconds: '3600' }), newApiKey({ expirationSeconds: '3600' })]
  await addKeys(user, [one.parameters, two.parameters])
  await later(async () => {
    const [own, ...others] = await keysOf(user)
    const { userId } = user
    const everywhere = { userId, apiKeyIds: others.map((key) => key.apiKeyId) }
    expect((await submit('delete_api_keys', user, everywhere)).status).toBe(200)
    expect([await whoami(user.orgId, one.key), await whoami(user.orgId, two.key)]).toEqual([401, 401])
    expect((await submit('delete_api_keys', user, { userId, apiKeyIds: [own?.apiKeyId] })).status).toBe(200)
    expect(await whoami(user.orgId, user.key)).toBe(401)
  })
})

test("refuses to delete another user's key by its id", async () => {
  const [user, other] = [await custody.createUser(), await custody.createUser()]
  const [key] = await keysOf(other)
  const foreign = { userId: user.userId, apiKeyIds: [key?.apiKeyId] }
  expect(await submit('delete_api_keys', user, foreign)).toMatchObject(refusal(404, 5, 'NOT_FOUND'))
  expect(await whoami(other.orgId, other.key)).toBe(200)
})

test('keeps users from removing their last way to sign in', async () => {
  const passkey = createAuthenticator()
  const authenticators = [{ authenticatorName: 'passkey-1', ...passkey.register() }]
  const user = await userWithoutEmail({ authenticators })
  const { orgId, userId } = user
  const { body } = await custody.call('query/get_authenticators', { organizationId: orgId, userId }, user.key)
  const authenticatorIds = body.authenticators.map((each: { authenticatorId: string }) => each.authenticatorId)
  const locked = {
    status: 400,
    body: { code: 3, message: expect.stringContaining('This would leave the user without a way to sign in. ') },
  }
  expect(await submit('delete_authenticators', user, { userId, authenticatorIds })).toMatchObject(locked)
  const email = `${randomUUID()}@example.com`
  expect((await submit('update_user', user, { userId, userEmail: email })).status).toBe(200)
  // An unproven address may belong to someone else.
  expect(await submit('delete_authenticators', user, { userId, authenticatorIds })).toMatchObject(locked)
  await signInByMail({ ...user, email })
  expect((await submit('delete_authenticators', user, { userId, authenticatorIds })).status).toBe(200)
  expect(await submit('update_user', user, { userId, userEmail: '' })).toMatchObject(locked)
  const lasting = newApiKey()
  const added = await addKeys(user, [lasting.parameters])
  const { apiKeyIds } = added.body.activity.result.createApiKeysResult
  expect((await submit('update_user', user, { userId, userEmail: '' })).status).toBe(200)
  expect(await submit('delete_api_keys', user, { userId, apiKeyIds })).toMatchObject(locked)
  expect(await whoami(orgId, lasting.key)).toBe(200)
})

test('refuses one of two concurrent removals of the last sign-in methods', async () => {
  const register = (name: string) => ({ authenticatorName: name, ...createAuthenticator().register() })
  const user = await userWithoutEmail({ authenticators: [register('one'), register('two')] })
  const { orgId, userId } = user
  const { body } = await custody.call('query/get_authenticators', { organizationId: orgId, userId }, user.key)
  const answers = await Promise.all(
    body.authenticators.map(({ authenticatorId }: { authenticatorId: string }) =>
      submit('delete_authenticators', user, { userId, authenticatorIds: [authenticatorId] }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('ends mailed sessions when the address changes', async () => {
  const user = await custody.createUser({ passkeys: [createAuthenticator().register()] })
  const { db } = custody.store
  const mailed = newApiKey({ expirationSeconds: '3600' })
  const template = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
    email: user.email,
    targetPublicKey: frame().targetPublicKey,
    emailCustomization: { magicLinkTemplate: 'http://localhost:4100/wallet?bundle=%s&orgId=x' },
  })
  const begun = await custody.call('submit/email_auth', template, custody.rootKey)
  const { apiKeyId } = begun.body.activity.result.emailAuthResult
  await addKeys(user, [mailed.parameters])
  const { userId } = user
  expect((await submit('update_user', user, { userId, userEmail: `${randomUUID()}@example.com` })).status).toBe(200)
  const row = await db.selectFrom('credentials').select('revoked_at').where('id', '=', apiKeyId).executeTakeFirst()
  expect(row?.revoked_at).toBeInstanceOf(Date)
  expect(await whoami(user.orgId, mailed.key)).toBe(200)
})

test('mails notices about lasting keys, not about sessions', async () => {
  const user = await custody.createUser()
  const { userId } = user
  const kinds = async () => {
    const rows = await custody.store.db.selectFrom('mail_outbox').selectAll().where('user_id', '=', userId).execute()
    return rows.map((row) => openMail(custody.deps.mailSealKey, row, row.payload_sealed ?? new Uint8Array()).content)
  }
  await addKeys(user, [newApiKey({ expirationSeconds: '600' }).parameters])
  const [, session] = await keysOf(user)
  await submit('delete_api_keys', user, { userId, apiKeyIds: [session?.apiKeyId] })
  expect(await kinds()).toEqual([])
  const { body } = await addKeys(user, [newApiKey().parameters])
  await submit('delete_api_keys', user, { userId, ...body.activity.result.createApiKeysResult })
  expect(await kinds()).toMatchObject([{ kind: 'key-added' }, { kind: 'credential-removed' }])
})

function frame() {
  const privateKey = p256.utils.randomSecretKey()
  return { privateKey, targetPublicKey: Buffer.from(p256.getPublicKey(privateKey, false)).toString('hex') }
}
