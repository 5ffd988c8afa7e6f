import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls } from '@latchkey/testkit/custodyCalls'
import { createPurgeContext, purgeCustody } from '@latchkey/testkit/purgeCustody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'
import { metrics } from '../../platform/observability/metrics.ts'
import { verifyLog } from '../audit/verifyLog.ts'
import { readMacKey } from '../macKey.ts'
import { purge } from '../purge.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

const { submit, whoami } = custodyCalls(() => custody)
const dayMs = 86_400_000
async function deleteAccount(who: TestUser): Promise<string> {
  const { body } = await submit('delete_sub_organization', who, { deleteWithoutExport: true })
  expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  return body.activity.id
}
const countWallets = async (orgId: string) =>
  (await custody.store.db.selectFrom('wallets').select('id').where('org_id', '=', orgId).execute()).length
const deleting = { status: 403, body: { details: [{ turnkeyErrorCode: 'ORGANIZATION_DELETING' }, expect.anything()] } }
const named = (organizationId: string) => ({
  body: { details: [expect.anything(), { organizationId, deletionDueAtMs: expect.stringMatching(/^\d{13}$/) }] },
})

test('cancels a deletion by mail and keeps everything', async () => {
  const user = await custody.createUser()
  const activityId = await deleteAccount(user)
  const { content } = await custody.readQueued(activityId, 'deletion-planned')
  const { now = Date.now } = custody.deps
  expect(content).toMatchObject({ link: expect.any(String) })
  expect('dueAtMs' in content && Number(content.dueAtMs) - now()).toBeGreaterThan(6.9 * dayMs)
  custody.advance(6 * dayMs)
  await purgeCustody(custody)
  expect(await countWallets(user.orgId)).toBe(1)
  const kept = await custody.decide(activityId, 'accept', 'deletion-planned')
  expect(kept.body.confirmation).toMatchObject({ kind: 'keep', state: 'confirmed', email: user.email })
  custody.advance(2 * dayMs)
  await purgeCustody(custody)
  expect(await countWallets(user.orgId)).toBe(1)
  const { db, keyEncryption } = custody.deps
  expect(await verifyLog(db, await readMacKey(db, keyEncryption))).not.toHaveProperty('bad')
})

test("destroys nothing when the machine's clock is ahead, and reports it", async () => {
  const user = await custody.createUser()
  await deleteAccount(user)
  custody.advance(8 * dayMs)
  try {
    // Destroys nothing, since the database's clock has not advanced.
    await purge(await createPurgeContext(custody.deps))
  } finally {
    custody.advance(-8 * dayMs)
  }
  expect(await countWallets(user.orgId)).toBe(1)
  expect(custody.logs.join('\n')).toContain("The clock of this machine and the database's differ")
  const [ahead] = (await metrics.clockAhead.get()).values
  expect(ahead?.value).toBeGreaterThan(7 * 86_400)
})

test('mails a last notice when the keys are destroyed', async () => {
  const user = await custody.createUser()
  const activityId = await deleteAccount(user)
  const read = () => custody.readQueued(activityId, 'keys-destroyed')
  custody.advance(6.9 * dayMs)
  await purgeCustody(custody)
  await expect(read()).rejects.toThrow()
  custody.advance(dayMs)
  await purgeCustody(custody)
  // The deletion is final, so the mail contains no link.
  const { to, content } = await read()
  expect(to).toBe(user.email)
  expect(content).toEqual({ kind: 'keys-destroyed', happenedAtMs: expect.any(Number) })
  expect(await countWallets(user.orgId)).toBe(0)
  const users = custody.store.db.selectFrom('users').select('email').where('org_id', '=', user.orgId)
  expect(await users.execute()).toEqual([{ email: null }])
})

test('offers only to keep the account when its user asks for a sign-in mail', async () => {
  const user = await custody.createUser()
  await deleteAccount(user)
  const { targetPublicKey } = await createTestFrame()
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, { email: user.email, targetPublicKey })
  const { body } = await custody.call('submit/email_auth', request, custody.rootKey)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  const { template, ...none } = await custody.store.db
    .selectFrom('mail_outbox')
    .select(['template', 'credential_id'])
    .where('activity_id', '=', body.activity.id)
    .executeTakeFirstOrThrow()
  expect({ template, ...none }).toEqual({ template: 'deletion-planned', credential_id: null })
  const { otpId, otpLength } = body.activity.result.emailAuthResult
  // The response looks like any other, so that a caller learns nothing.
  expect(otpLength).toBe(9)
  const codes = await custody.store.db.selectFrom('mail_codes').select('id').where('id', '=', otpId).execute()
  expect(codes).toEqual([])
  expect((await custody.decide(body.activity.id, 'accept', 'deletion-planned')).status).toBe(200)
  expect(await whoami(user.orgId, user.key)).toBe(200)
})

test('refuses everything but cancelling to a passkey of an account being deleted', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  await deleteAccount(user)
  for (const organizationId of [user.orgId, custody.rootOrganizationId])
    expect(await custody.callByPasskey('query/whoami', { organizationId }, passkey)).toMatchObject({
      ...deleting,
      ...named(user.orgId),
    })
  const sign = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', user.orgId, { publicKey: user.key.publicKey })
  expect(await custody.callByPasskey('submit/stamp_login', sign, passkey)).toMatchObject(deleting)
  const cancel = custody.activity('ACTIVITY_TYPE_CANCEL_DELETION', user.orgId, {})
  const done = await custody.callByPasskey('submit/cancel_deletion', cancel, passkey)
  expect(done.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await custody.callByPasskey('query/whoami', { organizationId: user.orgId }, passkey)).status).toBe(200)
})

test('refuses to cancel without a deletion, with an old sign-in and after the deadline', async () => {
  const user = await custody.createUser()
  expect((await submit('cancel_deletion', user, {})).status).toBe(400)
  const activityId = await deleteAccount(user)
  // The session no longer counts as a recent sign-in.
  custody.advance(dayMs / 24)
  expect((await submit('cancel_deletion', user, {})).status).toBe(403)
  custody.advance(7 * dayMs)
  expect((await custody.decide(activityId, 'accept', 'deletion-planned')).status).toBe(403)
})

test('destroys no keys for a deletion written to the database', async () => {
  const user = await custody.createUser()
  await custody.store.pool.query("update organizations set deleted_at = now() - interval '1 year' where id = $1", [
    user.orgId,
  ])
  await purgeCustody(custody)
  expect(await countWallets(user.orgId)).toBe(1)
})

test('destroys keys at once with `deletionGraceMs: 0`', async () => {
  const strict = await startTestCustody({ deletionGraceMs: 0 })
  try {
    const user = await strict.createUser()
    const request = strict.activity('ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION', user.orgId, { deleteWithoutExport: true })
    expect((await strict.call('submit/delete_sub_organization', request, user.key)).status).toBe(200)
    expect(await strict.store.db.selectFrom('wallets').select('id').execute()).toEqual([])
    const mails = await strict.store.db.selectFrom('mail_outbox').select(['template', 'recipient']).execute()
    expect(mails).toEqual([{ template: 'keys-destroyed', recipient: user.email }])
  } finally {
    await strict.close()
  }
})
