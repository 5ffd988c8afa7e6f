import { randomUUID } from 'node:crypto'
import { createAuthenticator, type TestAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../../keys/createApiKeyPair.ts'
import { custodyApp } from '../../app.ts'
import { verifyLog } from '../../audit/verifyLog.ts'
import { readMacKey } from '../../macKey.ts'

// A mailed code proves an address for one change of an account and creates no session.

const otherParent = randomUUID()
const common = { name: 'Other', redirectUrls: [], allowedOrigins: ['http://localhost:4100'] }
const custody = await startTestCustody({
  project: { confirmations: 'mail', parentCredentials: 'refused' },
  projects: [
    { ...common, id: 'elsewhere', apiKey: 'elsewhere-key', organizationId: otherParent, signerCodes: 'allowed' },
    { ...common, id: 'refusing', apiKey: 'refusing-key', organizationId: randomUUID() },
  ],
})
afterAll(() => custody.close())

let count = 0
const newEmail = () => `code-${++count}-${Date.now()}@example.com`
const wrong = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0')
const codeOf = ({ status, body }: Awaited<ReturnType<TestCustody['send']>>) =>
  status === 200 ? 'OK' : body.details[0].turnkeyErrorCode

async function ask(contact: string, parent = custody.rootOrganizationId) {
  const request = custody.activity('ACTIVITY_TYPE_INIT_OTP', parent, { otpType: 'OTP_TYPE_EMAIL', contact })
  const { status, body } = await custody.call('submit/init_otp', request, custody.rootKey)
  if (status !== 200) throw new TypeError(JSON.stringify(body))
  const { to, content } = await custody.readQueued(body.activity.id, 'address-code')
  if (content.kind !== 'address-code') throw new TypeError('another mail')
  return { activity: body.activity, to, code: content.code, otpId: body.activity.result.initOtpResult.otpId as string }
}

const enter = (otpId: string, otpCode: string, parent = custody.rootOrganizationId, app?: TestCustody['app']) => {
  const body = JSON.stringify(custody.activity('ACTIVITY_TYPE_VERIFY_OTP', parent, { otpId, otpCode }))
  return app ? send(app, body) : custody.send('/public/v1/submit/verify_otp', body)
}
async function send(app: TestCustody['app'], body: string) {
  const response = await app.request('/public/v1/submit/verify_otp', { method: 'POST', body })
  return { status: response.status, body: await response.json() }
}

async function prove(contact: string, parent = custody.rootOrganizationId): Promise<string> {
  const { otpId, code } = await ask(contact, parent)
  const { body } = await enter(otpId, code, parent)
  return body.activity.result.verifyOtpResult.verificationToken
}

async function signUp(email?: string) {
  const passkey = createAuthenticator()
  const key = createApiKeyPair()
  const session = { apiKeyName: 'session', publicKey: key.publicKey, expirationSeconds: '3600' }
  const authenticators = [{ authenticatorName: 'Phone', ...passkey.register() }]
  const user = { userName: 'Ann', apiKeys: [session], authenticators, ...(email && { userEmail: email }) }
  const { orgId, userIds } = await custody.signUp([user])
  return { orgId, userId: userIds[0] ?? '', passkey, key }
}
type Person = { orgId: string; userId: string; passkey: TestAuthenticator }

const change = ({ orgId, userId }: Omit<Person, 'passkey'>, userEmail: string, verificationToken?: string) =>
  custody.activity('ACTIVITY_TYPE_UPDATE_USER_EMAIL', orgId, { userId, userEmail, verificationToken })
const name = (person: Person, userEmail: string, token?: string) =>
  custody.callByPasskey('submit/update_user_email', change(person, userEmail, token), person.passkey)
const read = async ({ orgId, userId }: Omit<Person, 'passkey'>) =>
  custody.store.db
    .selectFrom('users')
    .select(['email', 'email_verified_at'])
    .where('id', '=', userId)
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()

test('adds an address proven by a code without a second mail', async () => {
  const person = await signUp()
  const email = newEmail()
  const { activity, to, code, otpId } = await ask(email)
  expect([to, code]).toEqual([email, expect.stringMatching(/^\d{9}$/)])
  expect(activity.intent).toEqual({ initOtpIntent: { otpType: 'OTP_TYPE_EMAIL', contact: '' } })
  expect(Buffer.from(otpId, 'base64url').toString('latin1')).not.toMatch(new RegExp(`${email}|${code}`))
  const { body } = await enter(otpId, code)
  expect(body.activity.intent).toEqual({ verifyOtpIntent: { otpId, otpCode: '' } })
  const { verificationToken } = body.activity.result.verifyOtpResult
  expect(JSON.parse(Buffer.from(verificationToken.split('.')[1], 'base64url').toString())).toMatchObject({
    contact: email,
  })
  const { body: changed } = await name(person, email, verificationToken)
  expect(changed.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect(await read(person)).toEqual({ email, email_verified_at: expect.any(Date) })
})

test('asks the old address to confirm a change to a proven one', async () => {
  const owner = await custody.createUser({ expirationSeconds: '3600' })
  const email = newEmail()
  const token = await prove(email)
  const asked = await custody.call('submit/update_user_email', change(owner, email, token), owner.key)
  expect(asked.body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_PENDING',
    confirmation: { to: owner.email, action: 'change-email' },
  })
  expect((await read(owner)).email).toBe(owner.email)
  // The proof is valid as of the time of the request.
  custody.advance(11 * 60_000)
  expect((await custody.decide(asked.body.activity.id)).body.confirmation.state).toBe('confirmed')
  expect(await read(owner)).toEqual({ email, email_verified_at: expect.any(Date) })
})

test('refuses a code after five attempts, after use, after its time and for another parent', async () => {
  const guessed = await ask(newEmail())
  for (let attempt = 0; attempt < 5; attempt++)
    expect(codeOf(await enter(guessed.otpId, wrong(guessed.code)))).toBe('OTP_INVALID')
  expect(codeOf(await enter(guessed.otpId, guessed.code))).toBe('OTP_EXPIRED')
  // Another process, with its own memory, uses up the remaining attempts.
  const { pool } = custody.store
  const elsewhere = await ask(newEmail())
  await pool.query('create table before as select key from custody_limits')
  await enter(elsewhere.otpId, wrong(elsewhere.code))
  await pool.query(
    `update custody_limits set free_at = now() + interval '1 day' where key not in (select key from before)`,
  )
  await pool.query('drop table before')
  expect(codeOf(await enter(elsewhere.otpId, elsewhere.code))).toBe('OTP_EXPIRED')

  const { otpId, code } = await ask(newEmail())
  const answers = await Promise.all([1, 2, 3].map(() => enter(otpId, code)))
  expect(answers.map(codeOf).sort()).toEqual(['OK', 'OTP_EXPIRED', 'OTP_EXPIRED'])

  const late = await ask(newEmail())
  expect(codeOf(await enter(late.otpId, late.code, otherParent))).toBe('OTP_EXPIRED')
  expect(codeOf(await enter(late.otpId.slice(0, -2), late.code))).toBe('OTP_EXPIRED')
  custody.advance(10 * 60_000)
  expect(codeOf(await enter(late.otpId, late.code))).toBe('OTP_EXPIRED')
})

test('accepts a proof once, for its address, its parent and ten minutes', async () => {
  const [person, other] = [await signUp(), await signUp()]
  const email = newEmail()
  const token = await prove(email)
  const refusals = async (given: string, named = email) => (await name(person, named, given)).body.message as string
  expect(await refusals(token, newEmail())).toContain('proves another address')
  expect(await refusals(token, '')).toContain('proves another address')
  expect(await refusals(await prove(email, otherParent))).toContain('proves another address')
  const [header, payload = '', signature] = token.split('.')
  const forged = Buffer.from(payload, 'base64url').toString().replace(email, newEmail())
  for (const text of ['x', 'e30.e30.x', `${header}.${Buffer.from(forged).toString('base64url')}.${signature}`])
    expect(await refusals(text)).toContain('is not one of this server')
  expect((await name(person, email, token)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await name(other, email, token)).body.message).toContain('was used already')
  const next = newEmail()
  const second = await prove(next)
  custody.advance(10 * 60_000 + 1_000)
  expect((await name(other, next, second)).body.message).toContain('has expired')
  expect(await read(other)).toEqual({ email: null, email_verified_at: null })
})

test('leaves a proven address with its owner', async () => {
  const [owner, other] = [await signUp(), await signUp()]
  const email = newEmail()
  await name(owner, email, await prove(email))
  expect(codeOf(await name(other, email, await prove(email)))).toBe('INVALID_EMAIL')
  expect((await read(owner)).email).toBe(email)
})

test('refuses projects without signer codes, SMS, and more than six mails to one address', async () => {
  const mailed = (parent: string, parameters: object) =>
    custody.call('submit/init_otp', custody.activity('ACTIVITY_TYPE_INIT_OTP', parent, parameters), custody.rootKey)
  const email = newEmail()
  const [, , refusing] = custody.deps.projects ?? []
  const refused = await mailed(refusing?.organizationId ?? '', { otpType: 'OTP_TYPE_EMAIL', contact: email })
  expect(refused).toMatchObject({ status: 404, body: { message: expect.stringContaining('"signerCodes": "allowed"') } })
  const sms = await mailed(custody.rootOrganizationId, { otpType: 'OTP_TYPE_SMS', contact: '+15550100' })
  expect(sms.body.message).toContain('OTP_TYPE_EMAIL')
  const statuses = []
  for (let index = 0; index < 7; index++) {
    const contact = index % 2 ? email : email.toUpperCase()
    statuses.push((await mailed(custody.rootOrganizationId, { otpType: 'OTP_TYPE_EMAIL', contact })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
  const person = await signUp()
  const token = await prove(newEmail())
  const strict = await custodyApp({
    ...custody.deps,
    projects: custody.deps.projects?.map((project) => ({ ...project, signerCodes: 'refused' as const })) ?? [],
  })
  const text = JSON.stringify(change(person, newEmail(), token))
  const headers = { 'x-stamp-webauthn': person.passkey.stamp(text) }
  const reply = await strict.request('/public/v1/submit/update_user_email', { method: 'POST', body: text, headers })
  expect(await reply.json()).toMatchObject({ message: expect.stringContaining('of no use here') })
})

test('erases mailed addresses after a day and keeps the log verifiable', async () => {
  const email = newEmail()
  const { activity } = await ask(email)
  const held = async () => {
    const { rows } = await custody.store.pool.query(
      `select 1 from activity_log where activity_id = $1 and convert_from(body, 'UTF8') like $2
       union all select 1 from mail_outbox where recipient = $3`,
      [activity.id, `%${email}%`, email],
    )
    return rows.length
  }
  await purgeCustody(custody)
  expect(await held()).toBe(2)
  custody.advance(86_400_000 + 60_000)
  await purgeCustody(custody)
  expect(await held()).toBe(0)
  const macKey = await readMacKey(custody.store.db, custody.deps.keyEncryption)
  const verified = await verifyLog(custody.store.db, macKey)
  expect([verified.bad, verified.erased > 0]).toEqual([undefined, true])
})
