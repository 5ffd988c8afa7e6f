import { startTestCustody } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

type Shared = Awaited<ReturnType<typeof createShared>>

/** A sub-organization in which `threshold` of `count` users must agree. */
async function createShared(count: number, threshold: number) {
  const owners = Array.from({ length: count }, (_, index) => ({ name: `Owner ${index}`, key: createApiKeyPair() }))
  const rootUsers = owners.map(({ name, key }, index) => ({
    userName: name,
    apiKeys: [{ apiKeyName: 'key', publicKey: key.publicKey, ...(index < 2 && { expirationSeconds: '86400' }) }],
  }))
  const made = await custody.signUp(rootUsers, { threshold })
  const [first, second, third] = owners.map(({ key }) => key)
  if (!first || !second || !third) throw new TypeError('three owners')
  return { ...made, first, second, third }
}

const signing = (shared: Shared, payload?: string) => custody.signing(shared, payload)
const vote = (verb: 'approve' | 'reject', { orgId }: Shared, fingerprint: string, key: Shared['first']) =>
  custody.call(
    `submit/${verb}_activity`,
    custody.activity(`ACTIVITY_TYPE_${verb.toUpperCase()}_ACTIVITY`, orgId, { fingerprint }),
    key,
  )
const read = async ({ orgId }: Shared, activityId: string, key: Shared['first']) =>
  (await custody.call('query/get_activity', { organizationId: orgId, activityId }, key)).body.activity
const submit = async (shared: Shared, request: object = signing(shared)) =>
  (await custody.call('submit/sign_raw_payload', request, shared.first)).body.activity

test('executes an activity once two of three owners approve', async () => {
  const shared = await createShared(3, 2)
  const text = JSON.stringify(signing(shared))
  const asked = (await custody.call('submit/sign_raw_payload', text, shared.first)).body.activity
  expect(asked).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', result: {}, canApprove: false })
  expect(asked.votes).toMatchObject([
    {
      userId: shared.userIds[0],
      user: { userName: 'Owner 0' },
      selection: 'VOTE_SELECTION_APPROVED',
      publicKey: shared.first.publicKey,
      scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    },
  ])
  expect(await read(shared, asked.id, shared.second)).toMatchObject({ canApprove: true, canReject: true })

  const approval = await vote('approve', shared, asked.fingerprint, shared.second)
  expect(approval).toMatchObject({
    status: 200,
    body: {
      activity: {
        status: 'ACTIVITY_STATUS_COMPLETED',
        type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
        intent: { approveActivityIntent: { fingerprint: asked.fingerprint } },
        result: {},
      },
    },
  })
  const done = await read(shared, asked.id, shared.third)
  expect(done).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', canApprove: false })
  expect(done.votes).toHaveLength(2)
  expect(done.result.signRawPayloadResult.r).toMatch(/^[0-9a-f]{64}$/)
  expect((await custody.call('submit/sign_raw_payload', text, shared.first)).body.activity).toEqual(done)
})

test('rejects an activity as soon as approval is impossible', async () => {
  const shared = await createShared(3, 2)
  const asked = await submit(shared)
  await vote('reject', shared, asked.fingerprint, shared.second)
  expect(await read(shared, asked.id, shared.first)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
  await vote('reject', shared, asked.fingerprint, shared.third)
  const rejected = await read(shared, asked.id, shared.first)
  expect(rejected).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {} })
  expect(rejected.votes.map(({ selection }: { selection: string }) => selection)).toEqual([
    'VOTE_SELECTION_APPROVED',
    'VOTE_SELECTION_REJECTED',
    'VOTE_SELECTION_REJECTED',
  ])
  expect((await vote('approve', shared, asked.fingerprint, shared.second)).body.message).toContain(
    'its status is ACTIVITY_STATUS_REJECTED',
  )
})

test('keeps the votes of an approved activity whose execution fails', async () => {
  const shared = await createShared(3, 2)
  const asked = await submit(shared, signing(shared, '0x12'))
  expect((await vote('approve', shared, asked.fingerprint, shared.second)).status).toBe(200)
  expect(await read(shared, asked.id, shared.first)).toMatchObject({
    status: 'ACTIVITY_STATUS_FAILED',
    failure: { code: 3, message: 'With HASH_FUNCTION_NO_OP the payload must be a digest of 32 bytes.' },
  })
})

test('executes an activity once when two approvals arrive together', async () => {
  const shared = await createShared(3, 2)
  const asked = await submit(shared)
  const answers = await Promise.all([
    vote('approve', shared, asked.fingerprint, shared.second),
    vote('approve', shared, asked.fingerprint, shared.third),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await read(shared, asked.id, shared.first)).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
})

test("executes an activity whose submitter's session expired before the last vote", async () => {
  const shared = await createShared(3, 2)
  const signIn = async (expirationSeconds: string) => {
    const key = createApiKeyPair()
    const parameters = { publicKey: key.publicKey, expirationSeconds }
    const request = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', shared.orgId, parameters)
    expect((await custody.call('submit/stamp_login', request, shared.first)).status).toBe(200)
    return key
  }
  const asked = await submit({ ...shared, first: await signIn('60') })
  custody.advance(120_000)
  await signIn('60')
  expect((await vote('approve', shared, asked.fingerprint, shared.second)).status).toBe(200)
  expect(await read(shared, asked.id, shared.first)).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
})

test('refuses a second vote, votes of outsiders, and unknown activities', async () => {
  const shared = await createShared(3, 3)
  const asked = await submit(shared)
  expect((await vote('approve', shared, asked.fingerprint, shared.first)).body.message).toBe(
    'You have voted on this activity already.',
  )
  const outsider = await createShared(3, 2)
  expect((await vote('approve', shared, asked.fingerprint, outsider.first)).status).toBe(401)
  expect((await vote('approve', shared, asked.fingerprint, custody.rootKey)).body.message).toContain(
    'organization mismatch',
  )
  expect((await vote('approve', outsider, asked.fingerprint, outsider.first)).status).toBe(404)
  expect((await vote('approve', shared, 'sha256:1', shared.second)).status).toBe(400)
  expect(await read(shared, asked.id, shared.second)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
})

test('ignores votes that custody did not write', async () => {
  const shared = await createShared(3, 3)
  const asked = await submit(shared)
  await custody.store.pool.query(
    `insert into activity_votes select gen_random_uuid(), activity_id, $1, selection, public_key, signature, scheme,
     created_at, mac from activity_votes where activity_id = $2`,
    [shared.userIds[1], asked.id],
  )
  await vote('approve', shared, asked.fingerprint, shared.third)
  expect(await read(shared, asked.id, shared.first)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
})

test('executes only the body that was voted on', async () => {
  const shared = await createShared(3, 2)
  const asked = await submit(shared)
  const client = await custody.store.pool.connect()
  await client.query('set session_replication_role = replica')
  await client.query(`update activity_log set body = body || ' ' where activity_id = $1`, [asked.id])
  await client.query('set session_replication_role = origin')
  client.release()
  expect((await vote('approve', shared, asked.fingerprint, shared.third)).status).toBe(200)
  expect(await read(shared, asked.id, shared.first)).toMatchObject({
    status: 'ACTIVITY_STATUS_FAILED',
    result: {},
    failure: { message: 'What is logged is not what was asked for. It was not done.' },
  })
})

test('refuses votes on an activity older than a day', async () => {
  const shared = await createShared(3, 2)
  const asked = await submit(shared)
  custody.advance(25 * 3_600_000)
  expect((await vote('approve', shared, asked.fingerprint, shared.third)).body.message).toContain('too long')
  expect(await read(shared, asked.id, shared.third)).toMatchObject({ canApprove: false, canReject: false })
})

test('requires a recent sign-in to approve an export', async () => {
  const shared = await createShared(3, 2)
  const { targetPublicKey } = createTestExportFrame()
  const request = custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', shared.orgId, {
    address: shared.address,
    targetPublicKey,
  })
  const asked = (await custody.call('submit/export_wallet_account', request, shared.first)).body.activity
  custody.advance(6 * 60_000)
  const refused = await vote('approve', shared, asked.fingerprint, shared.second)
  expect([refused.status, refused.body.code]).toEqual([403, 7])
  expect(refused.body.message).toMatch(/^For your safety, sign in again first\. /)
  expect((await vote('reject', shared, asked.fingerprint, shared.second)).status).toBe(200)
})
