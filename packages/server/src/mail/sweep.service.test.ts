import { linkTemplate, startTestCustody } from '@latchkey/testkit/custody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'
import { takeToken } from '../platform/limits/takeToken.ts'
import { cancelMail } from '../store/mailOutbox.ts'
import { sweep } from './sweep.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

async function askForMail() {
  const user = await custody.createUser()
  const { targetPublicKey } = await createTestFrame()
  const parameters = { email: user.email, targetPublicKey, emailCustomization: { magicLinkTemplate: linkTemplate } }
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, parameters)
  await custody.call('submit/email_auth', request, custody.rootKey)
}

async function count() {
  const { rows } = await custody.store.pool.query<{ counts: number[] }>(`select array[
    (select count(*) from rate_limits), (select count(*) from mail_codes),
    (select count(*) from mail_cancellations), (select count(*) from mail_outbox)]::int[] as counts`)
  return rows[0]?.counts
}

test('deletes expired rows', async () => {
  const { db, pool } = custody.store
  await askForMail()
  // Removes the limits that the request above has used, so that only the test's own limit is counted.
  await pool.query('delete from rate_limits')
  await takeToken(db, { key: 'someone', limit: 1, windowMs: 3_600_000 })
  await cancelMail(db, { fingerprint: 'sha256:00' })
  await sweep(db)
  expect(await count()).toEqual([1, 1, 1, 1])

  await pool.query(`update rate_limits set free_at = now() - interval '1 second'`)
  await pool.query(`update mail_codes set expires_at = now() - interval '25 hours'`)
  await pool.query(`update mail_cancellations set created_at = now() - interval '25 hours'`)
  await pool.query(`update mail_outbox set updated_at = now() - interval '8 days'`)
  await sweep(db)
  expect(await count()).toEqual([0, 0, 0, 1])
  await pool.query(`update mail_outbox set state = 'sent', payload_sealed = null`)
  await sweep(db)
  expect(await count()).toEqual([0, 0, 0, 0])
})
