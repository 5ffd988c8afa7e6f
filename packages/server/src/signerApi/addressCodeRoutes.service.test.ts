import { randomUUID } from 'node:crypto'
import { createAuthenticator, type TestAuthenticator } from '@latchkey/testkit/authenticator'
import { createTestFrame, startTestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'

// The requests are those of `sendVerificationCode` and `setEmail` in `@account-kit/signer` 4.88.5.

const refusingKey = 'refusing-api-key'
const common = { name: 'App', redirectUrls: [], allowedOrigins: [] }
const api = await startTestSignerApi({
  project: { signerCodes: 'allowed', confirmations: 'mail', parentCredentials: 'refused' },
  projects: [{ ...common, id: 'refusing', apiKey: refusingKey, organizationId: randomUUID() }],
})
afterAll(() => api.close())

const newEmail = () => `address-${randomUUID()}@example.com`
const ask = (contact: string) => api.post('init-otp', { otpType: 'OTP_TYPE_EMAIL', contact })

async function signUp(email?: string) {
  const passkey = createAuthenticator({ origin: testOrigin })
  const { json } = await api.post('signup', { passkey: passkey.register(), ...(email && { email }) })
  return { passkey, orgId: json.orgId as string, userId: json.userId as string }
}

function update({ orgId, userId, passkey }: Awaited<ReturnType<typeof signUp>>, userEmail: string, token: string) {
  const parameters = { userId, userEmail, verificationToken: token }
  const body = JSON.stringify(api.custody.activity('ACTIVITY_TYPE_UPDATE_USER_EMAIL', orgId, parameters))
  return api.post('update-email-auth', { stampedRequest: stamped(passkey, body) })
}
const stamped = (passkey: TestAuthenticator, body: string) => ({
  body,
  stamp: { stampHeaderName: 'X-Stamp-Webauthn', stampHeaderValue: passkey.stamp(body) },
  url: 'https://api.turnkey.com/public/v1/submit/update_user_email',
})
const lookup = async (email: string) => (await api.post('lookup', { email })).json.orgId

test('finds an address once its code was entered and the passkey named it', async () => {
  const email = newEmail()
  const person = await signUp(email)
  expect(await lookup(email)).toBeNull()
  const { otpId, ...rest } = (await ask(email.toUpperCase())).json
  expect(rest).toEqual({})
  expect(await lookup(email)).toBeNull()
  const otpCode = ` ${api.readCode(email)} `
  const { status, json } = await api.post('verify-otp', { otpId, otpCode })
  expect([status, Object.keys(json)]).toEqual([200, ['verificationToken']])
  const claims = JSON.parse(Buffer.from(json.verificationToken.split('.')[1], 'base64url').toString())
  expect(claims.contact).toBe(email)
  expect(await lookup(email)).toBeNull()
  expect(await update(person, claims.contact, json.verificationToken)).toMatchObject({ status: 200, json: {} })
  expect(await lookup(email)).toBe(person.orgId)
  const mails = api.inbox.messages({ to: email })
  expect(mails.map(({ subject, links }) => [subject, links])).toEqual([
    ['Test app: your code to confirm this address', []],
  ])
  const { targetPublicKey } = await createTestFrame()
  expect((await api.post('otp', { orgId: person.orgId, otpId, otpCode, targetPublicKey })).status).toBe(400)
})
