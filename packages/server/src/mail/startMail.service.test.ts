import { linkTemplate, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { openBundle } from '@latchkey/testkit/openBundle'
import { startTestSmtp, type TestSmtp } from '@latchkey/testkit/smtp'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Logger } from '../platform/observability/logger.ts'
import { claimMail, settleMail, waitForMail } from '../store/mailOutbox.ts'
import { startMail } from './startMail.ts'

let smtp: TestSmtp
const started: { close(): Promise<void> }[] = []
const custody = await startTestCustody()
smtp = await startTestSmtp()
afterEach(async () => {
  for (const mail of started.splice(0)) await mail.close()
  smtp.mails.length = 0
  smtp.refusals.length = 0
})
afterAll(async () => {
  await smtp.close()
  await custody.close()
})

const targetPrivate = p256.utils.randomSecretKey()
const targetPublicKey = Buffer.from(p256.getPublicKey(targetPrivate, false)).toString('hex')
const logs: string[] = []
const keep = (fields: Record<string, unknown>, message: string) => {
  logs.push(`${message} ${JSON.stringify(fields)}`)
}
const logger: Logger = { info: keep, warn: keep, error: keep }

async function start(options: Partial<startMail.Deps> = {}) {
  const mail = await startMail({
    store: custody.store,
    smtpUrl: smtp.url,
    from: 'Latchkey <no-reply@wallet.example>',
    sealKey: custody.deps.mailSealKey,
    logger,
    ...options,
  })
  started.push(mail)
}

async function requestMail(user: TestUser, appName = 'Shop & <Co>') {
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
    email: user.email,
    targetPublicKey,
    emailCustomization: { appName, magicLinkTemplate: linkTemplate },
  })
  const { body } = await custody.call('submit/email_auth', request, custody.rootKey)
  const activityId: string = body.activity.id
  const { apiKeyId } = body.activity.result.emailAuthResult
  return {
    activityId,
    apiKeyId,
    orgId: user.orgId,
    wait: () => waitForMail(custody.store.db, { activityId, timeoutMs: 60_000 }),
  }
}

const rowOf = (activityId: string) =>
  custody.store.db.selectFrom('mail_outbox').selectAll().where('activity_id', '=', activityId).executeTakeFirstOrThrow()
const keyOf = async (id: string) =>
  custody.store.db.selectFrom('credentials').selectAll().where('id', '=', id).executeTakeFirst()

test('delivers a sign-in mail with a working link', async () => {
  await start()
  const user = await custody.createUser({ email: 'me@home.example' })
  const mail = await requestMail(user)
  expect(await mail.wait()).toBe('sent')

  expect(smtp.mails).toHaveLength(1)
  const [sent] = smtp.mails
  expect(sent?.recipients).toEqual(['me@home.example'])
  const link = /http:\S+/.exec(sent?.parsed.text ?? '')?.[0] ?? ''
  const bundle = new URL(link).searchParams.get('bundle') ?? ''
  expect((await openBundle(bundle, targetPrivate)).length).toBe(32)
})

test('erases the content after sending and logs no link or address', async () => {
  await start()
  const user = await custody.createUser({ email: 'erased@home.example' })
  const mail = await requestMail(user)
  await mail.wait()
  expect(await rowOf(mail.activityId)).toMatchObject({ state: 'sent', payload_sealed: null, failure: null, tries: 1 })
  const text = logs.join('\n')
  expect(text).toContain('Email sent')
  expect(text).not.toContain('erased@home.example')
  expect(text).not.toContain('bundle')
})

test('sends each mail once from three copies', async () => {
  await Promise.all([start(), start(), start()])
  const users = await Promise.all(Array.from({ length: 12 }, () => custody.createUser()))
  const mails = await Promise.all(users.map((user) => requestMail(user)))
  expect(await Promise.all(mails.map((mail) => mail.wait()))).toEqual(Array(12).fill('sent'))
  expect(smtp.mails.map((mail) => mail.recipients[0]).sort()).toEqual(users.map((user) => user.email).sort())
})

test('retries with growing delays while SMTP is down', async () => {
  const { port } = new URL(smtp.url)
  await smtp.close()
  await start()
  const mail = await requestMail(await custody.createUser())
  const tries = async () => (await rowOf(mail.activityId)).tries
  await expect.poll(tries).toBeGreaterThan(1)
  const waiting = await rowOf(mail.activityId)
  expect(waiting).toMatchObject({ state: 'queued', payload_sealed: expect.any(Buffer) })
  expect(waiting.next_try_at.getTime()).toBeGreaterThan(waiting.updated_at.getTime())
  smtp = await startTestSmtp(Number(port))
  expect(await mail.wait()).toBe('sent')
  expect(smtp.mails).toHaveLength(1)
  expect(logs.join('\n')).toContain('could not be sent yet {"mailId"')
})

test('fails at once and deletes key and code when SMTP refuses the recipient', async () => {
  await start()
  smtp.refusals.push(550, 550)
  const mail = await requestMail(await custody.createUser())
  const codes = () => custody.store.db.selectFrom('mail_codes').select('id').where('org_id', '=', mail.orgId).execute()
  expect(await mail.wait()).toBe('failed')
  expect(await rowOf(mail.activityId)).toMatchObject({ failure: 'smtp 550', payload_sealed: null, credential_id: null })
  expect(smtp.refusals).toEqual([550])
  expect(await keyOf(mail.apiKeyId)).toBeUndefined()
  expect(await codes()).toEqual([])
})

test('fails on a permanent SMTP sign-in refusal and retries a transient one', async () => {
  const strict = await startTestSmtp(0, { auth: true })
  await start({ smtpUrl: strict.url.replace('//', '//user:password@') })
  strict.refusals.push(535)
  const refused = await requestMail(await custody.createUser())
  expect(await refused.wait()).toBe('failed')
  expect((await rowOf(refused.activityId)).failure).toBe('smtp 535')
  strict.refusals.push(454)
  expect(await (await requestMail(await custody.createUser())).wait()).toBe('sent')
  expect(strict.mails).toHaveLength(1)
  await started.pop()?.close()
  await strict.close()
})

test('repeats the message id after SMTP hung up without an answer', async () => {
  await start()
  smtp.hangUps = 1
  const mail = await requestMail(await custody.createUser())
  expect(await mail.wait()).toBe('sent')
  expect(smtp.mails).toHaveLength(2)
  const [first, second] = smtp.mails.map(({ parsed }) => parsed.messageId)
  expect(first).toBe(second)
  expect(smtp.mails[0]?.parsed.text).toBe(smtp.mails[1]?.parsed.text)
})

test('revokes the link of a mail that arrives too late', async () => {
  let release = () => {}
  smtp.held = new Promise((resolve) => {
    release = resolve
  })
  await start()
  const mail = await requestMail(await custody.createUser())
  await expect.poll(() => smtp.mails.length).toBe(1)
  const { db } = custody.store
  expect(await settleMail(db, { activityId: mail.activityId, timeoutMs: 0 })).toBe('failed')
  const before = logs.length
  release()
  smtp.held = undefined
  await expect.poll(() => logs.slice(before).join()).toContain('An email was sent too late; its session key is revoked')
  expect(await keyOf(mail.apiKeyId)).toBeUndefined()
  expect(await rowOf(mail.activityId)).toMatchObject({ state: 'failed', failure: 'late', payload_sealed: null })
})

test('refuses to send a row with a changed recipient', async () => {
  const mail = await requestMail(await custody.createUser())
  const { db } = custody.store
  const mailOutboxUpdate = db.updateTable('mail_outbox').where('activity_id', '=', mail.activityId)
  await mailOutboxUpdate.set({ recipient: 'thief@evil.example' }).execute()
  await start()
  expect(await mail.wait()).toBe('failed')
  expect((await rowOf(mail.activityId)).failure).toBe('unreadable')
  expect(smtp.mails).toEqual([])
})

test('refuses to send a mail whose session key ended', async () => {
  const mail = await requestMail(await custody.createUser())
  await start({ now: () => Date.now() + 3_600_000 })
  expect(await mail.wait()).toBe('failed')
  expect((await rowOf(mail.activityId)).failure).toBe('expired')
  expect(smtp.mails).toEqual([])
})

test('sends the mail of a dead copy once its claim expires', async () => {
  const mail = await requestMail(await custody.createUser())
  const { db } = custody.store
  const { id } = await rowOf(mail.activityId)
  expect(await claimMail(db, id)).toMatchObject({ id, tries: 1, cancelled: false })
  expect(await claimMail(db, id)).toBeUndefined()
  // The job's replica died half a minute ago.
  await custody.store.pool.query('delete from latchkey_jobs._private_jobs')
  const earlier = new Date(Date.now() - 6_000)
  await db.updateTable('mail_outbox').set({ next_try_at: earlier }).where('id', '=', id).execute()
  await start()
  expect(await mail.wait()).toBe('sent')
  expect(smtp.mails).toHaveLength(1)
})

test('refuses to send a cancelled mail', async () => {
  const { db } = custody.store
  const mail = await requestMail(await custody.createUser())
  const activity = db.selectFrom('activities').select('fingerprint').where('id', '=', mail.activityId)
  const { fingerprint } = await activity.executeTakeFirstOrThrow()
  await db.insertInto('mail_cancellations').values({ fingerprint }).execute()
  await start()
  expect(await mail.wait()).toBe('failed')
  expect(await rowOf(mail.activityId)).toMatchObject({ failure: 'cancelled', payload_sealed: null })
  expect(await keyOf(mail.apiKeyId)).toBeUndefined()
  expect(smtp.mails).toEqual([])
})

test('fails a mail that crashed its sender ten times', async () => {
  const mail = await requestMail(await custody.createUser())
  const outbox = custody.store.db.updateTable('mail_outbox')
  await outbox.set({ tries: 10 }).where('activity_id', '=', mail.activityId).execute()
  await start()
  expect(await mail.wait()).toBe('failed')
  expect((await rowOf(mail.activityId)).failure).toBe('interrupted')
})

test('names an untrusted certificate in the log and tries again', async () => {
  const secure = await startTestSmtp(0, { tls: true })
  await start({ smtpUrl: secure.url })
  await requestMail(await custody.createUser({ email: 'me@home.example' }))
  await expect.poll(() => logs.join()).toContain('"failure":"untrusted certificate, see latchkey-server doctor"')
  await secure.close()
})
