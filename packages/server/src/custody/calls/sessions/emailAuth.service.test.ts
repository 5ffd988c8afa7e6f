import { linkTemplate, redirectUrl, startTestCustody } from '@latchkey/testkit/custody'
import { openBundle } from '@latchkey/testkit/openBundle'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../../keys/createApiKeyPair.ts'
import { openMail } from '../../../keys/mailSeal.ts'
import { addApiKey } from '../../credentials/addApiKey.ts'
import { ensureMacKey } from '../../macKey.ts'

const custody = await startTestCustody()
const user = await custody.createUser({ email: 'User.Name@Example.com' })
afterAll(() => custody.close())

const targetPrivate = p256.utils.randomSecretKey()
const targetPublicKey = Buffer.from(p256.getPublicKey(targetPrivate, false)).toString('hex')
const path = 'submit/email_auth'

function request(changes: object = {}, orgId = user.orgId, type = 'ACTIVITY_TYPE_EMAIL_AUTH_V2') {
  return custody.activity(type, orgId, {
    email: user.email,
    targetPublicKey,
    emailCustomization: { magicLinkTemplate: linkTemplate },
    ...changes,
  })
}

async function mailOf(activityId: string) {
  const rowQuery = custody.store.db.selectFrom('mail_outbox').selectAll().where('activity_id', '=', activityId)
  const row = await rowQuery.executeTakeFirstOrThrow()
  const payload = openMail(custody.deps.mailSealKey, row, row.payload_sealed ?? new Uint8Array())
  if (payload.content.kind !== 'sign-in') throw new TypeError('no sign-in mail')
  return { row, payload, content: payload.content, link: payload.content.link ?? '' }
}

test('mails a link and a code that open a session', async () => {
  const { status, body } = await custody.call(path, request({ email: 'user.name@example.com' }), custody.rootKey)
  expect(status).toBe(200)
  const { userId, apiKeyId, ...rest } = body.activity.result.emailAuthResult
  expect(rest).toEqual({ otpId: expect.stringMatching(/^[0-9a-f-]{36}$/), otpLength: 9 })
  expect(userId).toBe(user.userId)
  expect(Object.keys(body.activity.intent)).toEqual(['emailAuthIntentV2'])

  const { row, payload, link: text, content } = await mailOf(body.activity.id)
  expect(row).toMatchObject({ state: 'queued', recipient: 'User.Name@Example.com', credential_id: apiKeyId })
  expect(payload).toMatchObject({ to: 'User.Name@Example.com', appName: 'Test app' })
  expect(content.code).toMatch(/^\d{9}$/)
  const link = new URL(text)
  expect(link.origin + link.pathname).toBe(redirectUrl)
  expect(link.searchParams.get('orgId')).toBe('x')
  const bundle = link.searchParams.get('bundle') ?? ''
  const privateKey = Buffer.from(await openBundle(bundle, targetPrivate)).toString('hex')
  const key = {
    privateKey,
    publicKey: Buffer.from(p256.getPublicKey(Buffer.from(privateKey, 'hex'), true)).toString('hex'),
  }

  const beforeQuery = custody.store.db.selectFrom('users').select('email_verified_at').where('id', '=', userId)
  const before = await beforeQuery.executeTakeFirst()
  expect(before).toEqual({ email_verified_at: null })
  const whoami = await custody.call('query/whoami', { organizationId: user.orgId }, key)
  expect(whoami.body).toMatchObject({ organizationId: user.orgId, userId })
  const afterQuery = custody.store.db.selectFrom('users').select('email_verified_at').where('id', '=', userId)
  const after = await afterQuery.executeTakeFirst()
  expect(after?.email_verified_at).toBeInstanceOf(Date)
})

test('keeps three unused mails of a user, without ending sessions, even when requested together', async () => {
  const victim = await custody.createUser()
  const ask = async () => (await custody.askForMail(victim, { targetPrivate })).key
  const whoami = async (key: ReturnType<typeof createApiKeyPair>) =>
    (await custody.call('query/whoami', { organizationId: victim.orgId }, key)).status
  const sessions = [victim.key]
  for (let count = 0; count < 4; count++) {
    const key = await ask()
    expect(await whoami(key)).toBe(200)
    sessions.push(key)
  }
  const mails = await Promise.all(Array.from({ length: 14 }, ask))
  for (const key of sessions) expect(await whoami(key)).toBe(200)
  const statuses = []
  for (const key of mails) statuses.push(await whoami(key))
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  expect(statuses.filter((status) => status === 401)).toHaveLength(11)
})

test('keeps the session of a link opened while another mail is requested', async () => {
  const victim = await custody.createUser()
  const ask = async () => (await custody.askForMail(victim, { targetPrivate })).key
  const oldest = await ask()
  for (let count = 0; count < 2; count++) await ask()
  // Spends the code in an open transaction, as `whoami` does.
  const opening = await custody.store.pool.connect()
  await opening.query('begin')
  await opening.query(
    `update mail_codes set spent_at = now() from credentials
     where credentials.id = mail_codes.credential_id and public_key = $1`,
    [oldest.publicKey],
  )
  const asked = ask()
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await custody.store.pool.query(waiting)).rowCount).toBe(1)
  await opening.query('commit')
  opening.release()
  await asked
  expect((await custody.call('query/whoami', { organizationId: victim.orgId }, oldest)).status).toBe(200)
})

test('never evicts a key without an expiration', async () => {
  const { db } = custody.store
  const { publicKey } = createApiKeyPair()
  const macKey = await ensureMacKey(db, custody.deps.keyEncryption)
  await addApiKey({ macKey, now: Date.now }, db, { userId: user.userId, orgId: user.orgId, name: 'lasting', publicKey })
  const lasting = () =>
    db
      .selectFrom('credentials')
      .select('id')
      .where('user_id', '=', user.userId)
      .where('expires_at', 'is', null)
      .where('revoked_at', 'is', null)
      .execute()
  expect(await lasting()).toHaveLength(1)
  for (let index = 0; index < 11; index++) await custody.call(path, request(), custody.rootKey)
  expect(await lasting()).toHaveLength(1)
})

test('applies emailCustomization, sender name and reply address', async () => {
  const requestedAt = new Date().toISOString()
  const { body } = await custody.call(
    path,
    request({
      sendFromEmailSenderName: 'Shop team',
      replyToEmailAddress: 'help@shop.example',
      emailCustomization: {
        appName: 'Shop',
        logoUrl: 'https://shop.example/logo.png',
        magicLinkTemplate: linkTemplate,
        templateId: 'festive',
        templateVariables: JSON.stringify({ requestedFrom: 'Chrome on macOS', requestedAt, other: 1 }),
      },
    }),
    custody.rootKey,
  )
  const { payload, content } = await mailOf(body.activity.id)
  expect(payload).toMatchObject({
    appName: 'Shop',
    logoUrl: 'https://shop.example/logo.png',
    senderName: 'Shop team',
    replyTo: 'help@shop.example',
    templateId: 'festive',
  })
  expect(content).toMatchObject({ requestedFrom: 'Chrome on macOS', requestedAt })
  expect(content).not.toHaveProperty('other')
})

test('mails only to the address stored on the user', async () => {
  const other = await custody.createUser()
  for (const email of ['stranger@example.com', other.email]) {
    const { status, body } = await custody.call(path, request({ email }), custody.rootKey)
    expect([status, body.code, body.details[0].turnkeyErrorCode]).toEqual([400, 3, 'INVALID_EMAIL'])
  }
})

test('refuses invalid parameters', async () => {
  const link = { magicLinkTemplate: linkTemplate }
  const cases: [object, string][] = [
    [{ targetPublicKey: `04${'ff'.repeat(64)}` }, 'is not a point of P-256'],
    [{ targetPublicKey: targetPublicKey.slice(2) }, 'targetPublicKey'],
    [{ expirationSeconds: '-1' }, 'expirationSeconds'],
    [{ emailCustomization: { ...link, appName: 'a\r\nb' } }, 'appName'],
    [{ emailCustomization: { ...link, templateId: '../x' } }, 'templateId'],
    [{ emailCustomization: { ...link, logoUrl: 'javascript:alert(1)' } }, 'logoUrl'],
    [{ emailCustomization: { ...link, templateVariables: '{"requestedFrom":"evil.example"}' } }, 'requestedFrom'],
    [{ sendFromEmailSenderName: 'a\r\nb' }, 'sendFromEmailSenderName'],
    [{ replyToEmailAddress: 'You <a@b.example>' }, 'replyToEmailAddress'],
    [{ email: 'You <a@b.example>' }, 'Must provide a valid email.'],
    [{ sendFromEmailAddress: 'boss@example.com' }, 'sendFromEmailAddress'],
  ]
  for (const [changes, text] of cases) {
    const { status, body } = await custody.call(path, request(changes), custody.rootKey)
    expect([status, body.code], text).toEqual([400, 3])
    expect(body.message).toContain(text)
  }
})
