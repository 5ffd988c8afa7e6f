import { type AddressInfo, createServer } from 'node:net'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { linkTemplate, startTestCustody, type TestCustody, type TestUser } from '../../../../test/custody.ts'
import { openBundle } from '../../../../test/openBundle.ts'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import type { Logger } from '../http/logger.ts'
import { waitForMail } from '../store/outbox/waitForMail.ts'
import { startMail } from './startMail.ts'

let custody: TestCustody
let smtp: TestSmtp
const started: { close(): Promise<void> }[] = []
beforeAll(async () => {
  custody = await startTestCustody()
  smtp = await startTestSmtp()
})
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
    // Long enough that only a notification can wake the worker.
    pollMs: 600_000,
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
  return { activityId, wait: () => waitForMail(custody.store.db, { activityId }) }
}

const rowOf = (activityId: string) =>
  custody.store.db.selectFrom('mail_outbox').selectAll().where('activity_id', '=', activityId).executeTakeFirstOrThrow()
const keyOf = async (id: string | null) =>
  custody.store.db.selectFrom('credentials').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('default', async () => {
  await start()
  const user = await custody.createUser({ email: 'me@home.example' })
  const mail = await requestMail(user)
  expect(await mail.wait()).toBe('sent')

  expect(smtp.mails).toHaveLength(1)
  const [sent] = smtp.mails
  expect(sent?.recipients).toEqual(['me@home.example'])
  expect(sent?.parsed.subject).toBe('Sign in to Shop & <Co>')
  expect(sent?.parsed.from?.text).toBe('"Latchkey" <no-reply@wallet.example>')
  expect(sent?.parsed.headers.get('auto-submitted')).toBe('auto-generated')
  const link = /http:\S+/.exec(sent?.parsed.text ?? '')?.[0] ?? ''
  const html = typeof sent?.parsed.html === 'string' ? sent.parsed.html : ''
  expect(html).toContain('<h1')
  expect(html).toContain('Sign in to Shop &amp; &lt;Co&gt;')
  expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`)
  const bundle = new URL(link).searchParams.get('bundle') ?? ''
  expect((await openBundle(bundle, targetPrivate)).length).toBe(32)
})

test('behavior: the content is erased after sending, and no log line holds link or address', async () => {
  await start()
  const user = await custody.createUser({ email: 'erased@home.example' })
  const mail = await requestMail(user)
  await mail.wait()
  expect(await rowOf(mail.activityId)).toMatchObject({ state: 'sent', payload_sealed: null, failure: null, tries: 1 })
  const text = logs.join('\n')
  expect(text).toContain('Mail sent')
  expect(text).not.toContain('erased@home.example')
  expect(text).not.toContain('bundle')
})

test('behavior: what was queued before the start is sent', async () => {
  const mail = await requestMail(await custody.createUser())
  await start()
  expect(await mail.wait()).toBe('sent')
})

test('behavior: without notifications the poll finds it', async () => {
  await start({ pollMs: 50, store: { ...custody.store, databaseUrl: 'postgres://nobody@127.0.0.1:1/none' } })
  const mail = await requestMail(await custody.createUser())
  expect(await mail.wait()).toBe('sent')
})

test('behavior: three copies send each of many mails once', async () => {
  await Promise.all([start(), start(), start()])
  const users = await Promise.all(Array.from({ length: 25 }, () => custody.createUser()))
  const mails = await Promise.all(users.map((user) => requestMail(user)))
  expect(await Promise.all(mails.map((mail) => mail.wait()))).toEqual(Array(25).fill('sent'))
  expect(smtp.mails.map((mail) => mail.recipients[0]).sort()).toEqual(users.map((user) => user.email).sort())
})

test('behavior: a server that is busy for a moment is asked a second time', async () => {
  await start()
  smtp.refusals.push(451)
  const mail = await requestMail(await custody.createUser())
  expect(await mail.wait()).toBe('sent')
  expect(smtp.mails).toHaveLength(1)
})

test('error: SMTP is down: failed after one quick second try, content erased, session key revoked', async () => {
  await start({ smtpUrl: 'smtp://127.0.0.1:1' })
  const user = await custody.createUser()
  const mail = await requestMail(user)
  expect(await mail.wait()).toBe('failed')
  const row = await rowOf(mail.activityId)
  expect(row).toMatchObject({ state: 'failed', payload_sealed: null, failure: expect.stringMatching(/^E/) })
  expect((await keyOf(row.credential_id)).revoked_at).toBeInstanceOf(Date)
})

test('error: SMTP takes the connection and never says a word: failed, session key revoked', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()))
  await start({ smtpUrl: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}` })
  const { activityId } = await requestMail(await custody.createUser())
  expect(await waitForMail(custody.store.db, { activityId, timeoutMs: 60_000 })).toBe('failed')
  const row = await rowOf(activityId)
  expect(row.payload_sealed).toBeNull()
  expect((await keyOf(row.credential_id)).revoked_at).toBeInstanceOf(Date)
  await new Promise((resolve) => silent.close(resolve))
})

test('error: SMTP refuses the recipient: failed at once', async () => {
  await start()
  smtp.refusals.push(550, 550)
  const mail = await requestMail(await custody.createUser())
  expect(await mail.wait()).toBe('failed')
  const row = await rowOf(mail.activityId)
  expect(row.failure).toBe('smtp 550')
  expect(smtp.refusals).toEqual([550])
  expect((await keyOf(row.credential_id)).revoked_at).toBeInstanceOf(Date)
})

test('behavior: a log-in after a failure works', async () => {
  const user = await custody.createUser()
  smtp.refusals.push(550)
  await start()
  expect(await (await requestMail(user)).wait()).toBe('failed')
  expect(await (await requestMail(user)).wait()).toBe('sent')
})

test('error: a row whose recipient was changed is not sent', async () => {
  const mail = await requestMail(await custody.createUser())
  const { db } = custody.store
  await db
    .updateTable('mail_outbox')
    .set({ recipient: 'thief@evil.example' })
    .where('activity_id', '=', mail.activityId)
    .execute()
  await start()
  expect(await mail.wait()).toBe('failed')
  expect((await rowOf(mail.activityId)).failure).toBe('unreadable')
  expect(smtp.mails).toEqual([])
})

test('error: a mail whose session key has ended is not sent', async () => {
  const mail = await requestMail(await custody.createUser())
  await start({ now: () => Date.now() + 3_600_000 })
  expect(await mail.wait()).toBe('failed')
  expect((await rowOf(mail.activityId)).failure).toBe('expired')
  expect(smtp.mails).toEqual([])
})

test('error: a mail that crashed its sender again and again is given up', async () => {
  const mail = await requestMail(await custody.createUser())
  await custody.store.db
    .updateTable('mail_outbox')
    .set({ tries: 3 })
    .where('activity_id', '=', mail.activityId)
    .execute()
  await start()
  expect(await mail.wait()).toBe('failed')
  expect((await rowOf(mail.activityId)).failure).toBe('interrupted')
})

test('behavior: an activity without a mail', async () => {
  expect(await waitForMail(custody.store.db, { activityId: crypto.randomUUID() })).toBe('missing')
})
