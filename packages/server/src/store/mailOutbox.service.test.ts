import { linkTemplate, startTestCustody } from '@latchkey/testkit/custody'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { cancelMail, failMail, markSent, settleMail } from './mailOutbox.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

async function queueMail() {
  const user = await custody.createUser()
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
    email: user.email,
    targetPublicKey: Buffer.from(p256.getPublicKey(p256.utils.randomSecretKey(), false)).toString('hex'),
    emailCustomization: { appName: 'App', magicLinkTemplate: linkTemplate },
  })
  const activityId: string = (await custody.call('submit/email_auth', request, custody.rootKey)).body.activity.id
  const row = () =>
    custody.store.db
      .selectFrom('mail_outbox')
      .leftJoin('credentials', 'credentials.id', 'mail_outbox.credential_id')
      .leftJoin('mail_codes', 'mail_codes.credential_id', 'credentials.id')
      .select([
        'mail_outbox.id',
        'state',
        'failure',
        'payload_sealed',
        'credentials.id as key',
        'mail_codes.id as code',
      ])
      .where('activity_id', '=', activityId)
      .executeTakeFirstOrThrow()
  return { id: (await row()).id, activityId, row }
}
const erased = { state: 'failed', payload_sealed: null, key: null, code: null }

test('erases content, key and code of a failed mail', async () => {
  const { id, row } = await queueMail()
  expect(await failMail(custody.store.db, { id, failure: 'why' })).toBe(true)
  expect(await row()).toMatchObject({ ...erased, failure: 'why' })
})

test('keeps sent mails sent and failed mails failed', async () => {
  const sent = await queueMail()
  expect(await markSent(custody.store.db, sent.id)).toBe(true)
  expect(await failMail(custody.store.db, { id: sent.id, failure: 'late' })).toBe(false)
  const used = { key: expect.any(String), code: expect.any(String) }
  expect(await sent.row()).toMatchObject({ state: 'sent', failure: null, ...used })

  const lost = await queueMail()
  await failMail(custody.store.db, { id: lost.id, failure: 'late' })
  expect(await markSent(custody.store.db, lost.id)).toBe(false)
  expect(await lost.row()).toMatchObject({ state: 'failed', failure: 'late' })
})

test('fails a mail after a deadlock with a sign-in that ends it', async () => {
  const { id, row } = await queueMail()
  const { key } = await row()
  const { pool, db } = custody.store
  const other = await pool.connect()
  await other.query('begin')
  await other.query('select from credentials where id = $1 for update', [key])
  const failing = failMail(db, { id, failure: 'late' })
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect.poll(async () => (await pool.query(waiting)).rows).toHaveLength(1)
  // Each transaction waits for the other until the database rolls one back.
  await other.query('delete from mail_codes where credential_id = $1', [key]).catch(() => undefined)
  await other.query('commit')
  other.release()
  expect(await failing).toBe(true)
  expect(await row()).toMatchObject({ state: 'failed', failure: 'late', key: null, code: null })
})

test('settles a late mail as failed and a sent one as sent', async () => {
  const late = await queueMail()
  expect(await settleMail(custody.store.db, { activityId: late.activityId, timeoutMs: 0 })).toBe('failed')
  expect(await late.row()).toMatchObject({ state: 'failed', failure: 'late', key: null })
  const sent = await queueMail()
  await markSent(custody.store.db, sent.id)
  expect(await settleMail(custody.store.db, { activityId: sent.activityId, timeoutMs: 0 })).toBe('sent')
})

test('cancels the mail of a request without a response', async () => {
  const { activityId, row } = await queueMail()
  const { db } = custody.store
  const activity = db.selectFrom('activities').select('fingerprint').where('id', '=', activityId)
  const { fingerprint } = await activity.executeTakeFirstOrThrow()
  await cancelMail(db, { fingerprint })
  await cancelMail(db, { fingerprint })
  expect(await row()).toMatchObject({ ...erased, failure: 'cancelled' })
})
