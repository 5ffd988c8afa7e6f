import { randomUUID } from 'node:crypto'
import { createAuthenticator, type TestAuthenticator } from '@latchkey/testkit/authenticator'
import { createTestFrame, startTestSignerApi, type TestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { afterAll, beforeAll, expect, test } from 'vitest'

// An address proven by a code, as `signer.sendVerificationCode` and `signer.setEmail({ verificationCode })` of
// `@account-kit/signer` 4.88.5 ask for it.

const refusingKey = 'refusing-api-key'
let api: TestSignerApi
beforeAll(async () => {
  const common = { name: 'App', redirectUrls: [], allowedOrigins: [] }
  api = await startTestSignerApi({
    project: { signerCodes: 'allowed', confirmations: 'mail', parentCredentials: 'refused' },
    projects: [{ ...common, id: 'refusing', apiKey: refusingKey, organizationId: randomUUID() }],
  })
})
afterAll(() => api?.close())

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

test('default: the address named beside a new passkey is found once its code was typed and the passkey has named it', async () => {
  const email = newEmail()
  const person = await signUp(email)
  expect(await lookup(email)).toBeNull()
  const { otpId, ...rest } = (await ask(email.toUpperCase())).json
  expect(rest).toEqual({})
  expect(await lookup(email)).toBeNull()
  const otpCode = ` ${api.readCode(email)} `
  const { status, json } = await api.post('verify-otp', { otpId, otpCode })
  expect([status, Object.keys(json)]).toEqual([200, ['verificationToken']])
  // The client decodes it.
  const claims = JSON.parse(Buffer.from(json.verificationToken.split('.')[1], 'base64url').toString())
  expect(claims.contact).toBe(email)
  expect(await lookup(email)).toBeNull()
  expect(await update(person, claims.contact, json.verificationToken)).toMatchObject({ status: 200, json: {} })
  expect(await lookup(email)).toBe(person.orgId)
  // No other mail was sent, and this one makes no session.
  const mails = api.inbox.messages({ to: email })
  expect(mails.map(({ subject, links }) => [subject, links])).toEqual([['Test app: your code for this address', []]])
  const { targetPublicKey } = await createTestFrame()
  expect((await api.post('otp', { orgId: person.orgId, otpId, otpCode, targetPublicKey })).status).toBe(400)
})

test('error: a signer API that proves an address with its own mailbox gets no account of others with it', async () => {
  const [victim, attacker] = [await signUp(), await signUp()]
  const email = newEmail()
  const { otpId } = (await ask(email)).json
  const { json } = await api.post('verify-otp', { otpId, otpCode: api.readCode(email) })
  const { userId, orgId } = victim
  const forged = await update({ ...attacker, userId, orgId }, email, json.verificationToken)
  expect(forged.status).toBe(401)
  expect(await lookup(email)).toBeNull()
})
