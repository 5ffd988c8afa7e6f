import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { findInTables } from '@latchkey/testkit/findInTables'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'
import { sweep } from '../../mail/sweep.ts'
import { verifyLog } from '../audit/verifyLog.ts'
import { readMacKey } from '../macKey.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

/** Texts to search for: mailbox, name, and the wallet's address without `0x`, since some columns omit it. */
const textsOf = ({ address }: TestUser) => ['ada.lovelace', 'ada-secret-name', address.slice(2)]
const { submit } = custodyCalls(() => custody)
const dayMs = 86_400_000
const verify = () => verifyLog(custody.store.db, macKey)

async function leaveTraces(user: TestUser): Promise<void> {
  const { email, userId, orgId } = user
  await submit('update_user', user, { userId, userName: `${email.split('.')[0]}-secret-name` })
  await submit(
    'create_api_keys',
    user,
    { userId, apiKeys: [newApiKey({ apiKeyName: `key of ${email}` }).parameters] },
    '_V2',
  )
  const { targetPublicKey } = await createTestFrame()
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', orgId, { email, targetPublicKey })
  expect((await custody.call('submit/email_auth', request, custody.rootKey)).status).toBe(200)
  expect((await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)).status).toBe(200)
}

const findAll = ({ store }: TestCustody, texts: readonly string[]) => findInTables(store.pool, texts)

async function tamper(statement: string): Promise<void> {
  const client = await custody.store.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query(statement)
  } finally {
    await client.query('set session_replication_role = origin')
    client.release()
  }
}

const macKey = await readMacKey(custody.store.db, custody.deps.keyEncryption)
const passkey = createAuthenticator()
const erased = await custody.createUser({ email: 'ada.lovelace@example.com', passkeys: [passkey.register()] })
const stays = await custody.createUser({ email: 'grace.hopper@example.com' })
for (const user of [erased, stays]) await leaveTraces(user)
await custody.callByPasskey('submit/sign_raw_payload', custody.signing(erased), passkey)
const before = await findAll(custody, textsOf(erased))
await submit('delete_sub_organization', erased, { deleteWithoutExport: true })
custody.advance(7 * dayMs + 1)
await purgeCustody(custody)

test('leaves nothing of the user in any column once the last mail is sent', async () => {
  expect([...before.keys()]).toEqual(
    expect.arrayContaining([
      'users.email',
      'users.name',
      'activities.intent',
      'activity_log.body',
      'mail_outbox.recipient',
      'wallet_accounts.address',
    ]),
  )
  const { db } = custody.store
  expect([...(await findAll(custody, textsOf(erased))).keys()]).toEqual(['mail_outbox.recipient'])
  await custody.store.pool.query(`update mail_outbox set state = 'sent', payload_sealed = null where org_id = $1`, [
    erased.orgId,
  ])
  await sweep(db)
  expect([...(await findAll(custody, textsOf(erased)))]).toEqual([])
  expect((await findAll(custody, ['grace.hopper'])).size).toBeGreaterThan(4)
  expect(await custody.call('query/whoami', { organizationId: stays.orgId }, stays.key)).toMatchObject({ status: 401 })
})

test('keeps the log verifiable and counts the erased entries', async () => {
  const { bad, erased: count } = await verify()
  expect(bad).toBeUndefined()
  const { db } = custody.store
  const entries = db.selectFrom('activity_log').selectAll().where('org_id', '=', erased.orgId)
  const own = await entries.execute()
  // The count covers the user's own log. The parent's log still contains the sign-up.
  expect(count).toBe(own.length)
  expect(own.filter(({ body }) => body.length > 0).map(({ type }) => type)).toEqual(['ACTIVITY_TYPE_ERASE_ACTIVITIES'])
  expect(own.filter(({ intent }) => intent !== '')).toEqual([])
  expect(own.filter(({ salt, content_digest }) => (salt === null) !== (content_digest !== null))).toEqual([])
})

/** Columns of an entry as the erasure sets them. */
const emptied = `body = '', stamp = '', salt = null, intent = '', content_digest =
  sha256(salt || sha256(body) || sha256(convert_to(stamp, 'UTF8')) || sha256(convert_to(intent, 'UTF8')))`

test('refuses every other change of a log entry in the database', async () => {
  const { pool } = custody.store
  const change = (what: string, orgId: string) =>
    pool.query(`update activity_log set ${what} where org_id = '${orgId}' and seq = 1`).then(
      () => 'done',
      ({ message }: Error) => message,
    )
  // The parent's log contains no erasure.
  expect(await change(emptied, stays.orgId)).toBe('activity_log is append-only')
  for (const what of [
    `body = 'other'`,
    `content_digest = sha256('x')`,
    `content_digest = null`,
    `intent = '{}'`,
    `type = 'other'`,
    `logged_at = logged_at + interval '1 day'`,
  ])
    expect(await change(what, erased.orgId), what).toBe('activity_log is append-only')
  expect((await verify()).bad).toBeUndefined()
})

test.each([
  ['erased without an erasure', () => stays.orgId, emptied, 'no activity of custody did that'],
  ['another digest', () => erased.orgId, `content_digest = sha256('x')`, 'its hash is another'],
  ['no digest', () => erased.orgId, 'content_digest = null', 'its hash is another'],
  ['an intent again', () => erased.orgId, `intent = '{"acts":[]}'`, 'its hash is another'],
  ['another type', () => erased.orgId, `type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD'`, 'its hash is another'],
])('detects an entry changed by the owner of the tables: %s', async (_, orgId, change, problem) => {
  const where = `where org_id = '${orgId()}' and seq = 1`
  await tamper(`create table kept as select * from activity_log ${where}`)
  try {
    await tamper(`update activity_log set ${change} ${where}`)
    expect((await verify()).bad).toMatchObject({ organizationId: orgId(), problem: expect.stringContaining(problem) })
  } finally {
    await tamper(`delete from activity_log ${where}`)
    await tamper('insert into activity_log select * from kept')
    await tamper('drop table kept')
  }
  expect((await verify()).bad).toBeUndefined()
})

test('detects an address that returned after the erasure', async () => {
  await tamper(`update users set email = 'ada@example.com' where org_id = '${erased.orgId}'`)
  const { bad } = await verify()
  await tamper(`update users set email = null where org_id = '${erased.orgId}'`)
  expect(bad).toMatchObject({ problem: 'The organization, which it erased, has a credential or an address again.' })
  expect((await verify()).bad).toBeUndefined()
})
