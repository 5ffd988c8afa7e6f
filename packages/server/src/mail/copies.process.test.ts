import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { linkTemplate, startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { joinProgram } from '@latchkey/testkit/run/joinProgram'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { startTestSmtp, type TestSmtp } from '@latchkey/testkit/smtp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/world/freePorts.ts'
import { waitForMail } from '../store/mailOutbox.ts'

// The mail role in processes of its own, which share nothing but the database.

type Copy = { child: ChildProcess; sent(): number }

let custody: TestCustody
let smtp: TestSmtp
let targetPublicKey: string
/** They take seconds to start, so the one test leaves its own to the next. */
const copies: Copy[] = []
const living = () => copies.filter(({ child }) => child.exitCode === null && child.signalCode === null)
beforeAll(async () => {
  custody = await startTestCustody()
  smtp = await startTestSmtp()
  targetPublicKey = (await createTestFrame()).targetPublicKey
})
afterAll(async () => {
  for (const { child } of living()) child.kill('SIGKILL')
  await smtp.close()
  await custody.close()
})

async function startCopy(smtpUrl: string): Promise<Copy> {
  const child = spawn(process.execPath, [await joinProgram('server'), 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      DATABASE_URL: custody.store.databaseUrl,
      LATCHKEY_ROLES: 'mail',
      LATCHKEY_PORT: String(await freePorts(1)),
      LATCHKEY_ROOT_ORGANIZATION_ID: custody.rootOrganizationId,
      LATCHKEY_MAIL_SEAL_KEY: Buffer.from(custody.deps.mailSealKey).toString('hex'),
      LATCHKEY_SMTP_URL: smtpUrl,
      LATCHKEY_MAIL_FROM: 'App <no-reply@app.example>',
    },
  })
  let sent = 0
  const copy = { child, sent: () => sent }
  copies.push(copy)
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new TypeError(`The server ended with exit code ${code}.`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { msg } = JSON.parse(line) as { msg: string }
      if (msg === 'Ready') resolve()
      if (msg === 'Mail sent') sent++
    })
  })
  return copy
}

async function requestMail() {
  const user = await custody.createUser()
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
    email: user.email,
    targetPublicKey,
    emailCustomization: { magicLinkTemplate: linkTemplate },
  })
  const { body } = await custody.call('submit/email_auth', request, custody.rootKey)
  const activityId: string = body.activity.id
  return { email: user.email, activityId, wait: () => waitForMail(custody.store.db, { activityId, timeoutMs: 60_000 }) }
}

test('behavior: a mail that a killed process held is sent by another', async () => {
  const before = smtp.mails.length
  const silent = createServer((socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()))
  const { child } = await startCopy(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const mail = await requestMail()
  const outbox = custody.store.db.selectFrom('mail_outbox').where('activity_id', '=', mail.activityId)
  await expect
    .poll(async () => (await outbox.select('tries').executeTakeFirst())?.tries ?? 0, { timeout: 60_000 })
    .toBeGreaterThan(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  silent.close()
  // Half a minute later.
  await custody.store.db
    .updateTable('mail_outbox')
    .set({ next_try_at: new Date(Date.now() - 10_000) })
    .where('activity_id', '=', mail.activityId)
    .execute()
  await startCopy(smtp.url)
  expect(await mail.wait()).toBe('sent')
  expect(smtp.mails.slice(before).map(({ recipients }) => recipients)).toEqual([[mail.email]])
})

test('default', async () => {
  await Promise.all(Array.from({ length: 2 - living().length }, () => startCopy(smtp.url)))
  const both = living().map((copy) => ({ ...copy, sentBefore: copy.sent() }))
  const before = smtp.mails.length
  const asked: string[] = []
  // Until both have had their share.
  const isIdle = ({ sent, sentBefore }: (typeof both)[number]) => sent() === sentBefore
  for (let round = 0; round < 10 && both.some(isIdle); round++) {
    const mails = await Promise.all(Array.from({ length: 12 }, requestMail))
    asked.push(...mails.map(({ email }) => email))
    expect(await Promise.all(mails.map((mail) => mail.wait()))).toEqual(Array(12).fill('sent'))
  }
  // What a copy has logged is read a little later than what it has sent.
  await expect.poll(() => both.some(isIdle)).toBe(false)
  expect(
    smtp.mails
      .slice(before)
      .flatMap(({ recipients }) => recipients)
      .sort(),
  ).toEqual(asked.sort())
  for (const { child } of both) {
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  }
})
