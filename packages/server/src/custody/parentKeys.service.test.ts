import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'

/** The signer API is compromised: the attacker uses the parent's key to sign users up. */
const custody = await startTestCustody({ project: { parentCredentials: 'refused' } })
afterAll(() => custody.close())

const newEmail = () => `${crypto.randomUUID()}@example.com`
const signUp = (...rootUsers: object[]) => custody.signUp(rootUsers)

function askForMail(orgId: string, email: string, from = custody) {
  const { targetPublicKey } = createTestExportFrame()
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', orgId, { email, targetPublicKey })
  return from.call('submit/email_auth', request, custody.rootKey)
}

const sign = (orgId: string, address: string, key: TestUser['key']) =>
  custody.call('submit/sign_raw_payload', custody.signing({ orgId, address }), key)

const refusal = (name: string) => ({
  status: 400,
  body: {
    message: expect.stringMatching(new RegExp(`^This address is not proven yet, and ${name} can use its account`)),
    details: [{ turnkeyErrorCode: 'FOREIGN_CREDENTIAL' }],
  },
})

test('sends no sign-in mail for an account with a planted API key', async () => {
  const [key, userEmail] = [createApiKeyPair(), newEmail()]
  const planted = { apiKeyName: 'planted', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }
  const { orgId, address } = await signUp({ userEmail, apiKeys: [planted] })
  // The planted key is a sign-in method, so no user may adopt this account.
  expect((await sign(orgId, address, key)).status).toBe(200)
  expect(await askForMail(orgId, userEmail)).toMatchObject(refusal(`the API key "planted" \\(${key.publicKey}\\)`))
  const mails = await custody.store.db.selectFrom('mail_outbox').select('id').where('org_id', '=', orgId).execute()
  expect(mails).toEqual([])
  const own = await signUp({ userEmail })
  expect((await askForMail(own.orgId, userEmail)).status).toBe(200)
  expect((await sign(own.orgId, own.address, key)).status).toBe(401)
})

test('refuses a planted session key until it expires', async () => {
  const [key, userEmail] = [createApiKeyPair(), newEmail()]
  const planted = { apiKeyName: 'session', publicKey: key.publicKey, expirationSeconds: '3600' }
  const { orgId } = await signUp({ userEmail, apiKeys: [planted] })
  expect(await askForMail(orgId, userEmail)).toMatchObject(refusal('the API key "session" \\(.*\\)'))
  custody.advance(3_601_000)
  expect((await askForMail(orgId, userEmail)).status).toBe(200)
})

test('refuses a planted passkey, even if its holder claims the address later', async () => {
  const [passkey, userEmail] = [createAuthenticator(), newEmail()]
  const authenticators = [{ authenticatorName: 'planted', ...passkey.register() }]
  const both = await signUp({ userEmail, authenticators })
  expect(await askForMail(both.orgId, userEmail)).toMatchObject(refusal('the passkey "planted"'))

  const claiming = createAuthenticator()
  const later = await signUp({ authenticators: [{ authenticatorName: 'planted', ...claiming.register() }] })
  const claim = { userId: later.userIds[0], userEmail }
  const request = custody.activity('ACTIVITY_TYPE_UPDATE_USER', later.orgId, claim)
  expect((await custody.callByPasskey('submit/update_user', request, claiming)).status).toBe(200)
  expect(await askForMail(later.orgId, userEmail)).toMatchObject(refusal('the passkey "planted"'))
})

test('refuses an organization with a second user', async () => {
  const [userEmail, theirs] = [newEmail(), newEmail()]
  const { orgId } = await signUp({ userEmail }, { userName: 'Accomplice', userEmail: theirs })
  expect(await askForMail(orgId, userEmail)).toMatchObject(refusal('the user "Accomplice"'))
  expect(await askForMail(orgId, theirs)).toMatchObject(refusal('the user "User"'))
})

test('permits parent credentials if every project of the parent does', async () => {
  const key = createApiKeyPair()
  const userEmail = newEmail()
  const permitting = await startTestCustody()
  try {
    const user = await permitting.createUser({ key, email: userEmail })
    const request = permitting.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
      email: userEmail,
      targetPublicKey: createTestExportFrame().targetPublicKey,
    })
    expect((await permitting.call('submit/email_auth', request, permitting.rootKey)).status).toBe(200)
  } finally {
    await permitting.close()
  }
})
