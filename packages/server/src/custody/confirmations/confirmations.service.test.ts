import { createHash } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { type Reply, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey, type Who } from '@latchkey/testkit/custodyCalls'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../../platform/crypto/createStamp.ts'

// A script in the app's page can use the session's stamps but neither clicks nor mails, so its requests stay unconfirmed.

const custody = await startTestCustody({ project: { confirmations: 'mail' } })
afterAll(() => custody.close())

const { submit, whoami, addKeys } = custodyCalls(() => custody)
const minuteMs = 60_000

async function walletOf({ orgId, key }: Who): Promise<string> {
  const { body } = await custody.call('query/list_wallets', { organizationId: orgId }, key)
  return body.wallets[0].walletId
}
async function exportTo(who: TestUser, targetPublicKey: string): Promise<Reply> {
  return submit('export_wallet', who, { walletId: await walletOf(who), targetPublicKey })
}
async function status({ orgId, key }: Who, activityId: string) {
  const { body } = await custody.call('query/get_activity', { organizationId: orgId, activityId }, key)
  return body.activity
}
const passkeys = (...added: ReturnType<typeof createAuthenticator>[]) =>
  added.map((passkey) => ({ authenticatorName: 'passkey-1', ...passkey.register() }))
const exported = (activity: { result: object }) => Object.values(activity.result)[0] as { exportBundle: string }

const attacks: [string, (user: TestUser) => Promise<Reply> | Reply][] = [
  ['exports the seed phrase to its own key', async (user) => exportTo(user, (await createTestFrame()).targetPublicKey)],
  [
    'exports a private key to its own key',
    async (user) => {
      const { targetPublicKey } = await createTestFrame()
      return submit('export_wallet_account', user, { address: user.address, targetPublicKey })
    },
  ],
  ['adds an API key that survives log-out', (user) => addKeys(user, [newApiKey().parameters])],
  ['adds a session of its own key', (user) => addKeys(user, [newApiKey({ expirationSeconds: '600' }).parameters])],
  [
    'has a session made for its own key',
    async (user) => {
      const { targetPublicKey } = await createTestFrame()
      return submit('create_read_write_session', user, { targetPublicKey }, '_V2')
    },
  ],
  ['logs its own key in', (user) => submit('stamp_login', user, { publicKey: newApiKey().key.publicKey })],
  [
    'registers a software passkey',
    (user) =>
      submit(
        'create_authenticators',
        user,
        { userId: user.userId, authenticators: passkeys(createAuthenticator()) },
        '_V2',
      ),
  ],
  [
    'changes the address',
    (user) => submit('update_user', user, { userId: user.userId, userEmail: 'thief@example.com' }),
  ],
  ['deletes the account', (user) => submit('delete_sub_organization', user, { deleteWithoutExport: true })],
]

test.each(attacks)(
  'waits for the user, who refuses and ends all sessions, when a page script %s',
  async (_name, attack) => {
    const user = await custody.createUser({ passkeys: [createAuthenticator().register()] })
    const { status: http, body } = await attack(user)
    expect(http).toBe(200)
    const { activity } = body
    expect(activity).toMatchObject({
      status: 'ACTIVITY_STATUS_PENDING',
      result: {},
      confirmation: { by: 'mail', expiresAtMs: expect.stringMatching(/^\d{13}$/), to: user.email },
      failure: { code: 7, message: expect.stringContaining('Check your email to confirm') },
    })
    const mail = await custody.readQueued(activity.id, 'confirm')
    expect(mail.to).toBe(user.email)
    expect(await status(user, activity.id)).toMatchObject({ status: 'ACTIVITY_STATUS_PENDING', result: {} })

    const refused = await custody.decide(activity.id, 'refuse')
    expect(refused.body.confirmation.state).toBe('refused')
    expect(await status(user, activity.id)).toMatchObject({
      status: 'ACTIVITY_STATUS_REJECTED',
      result: {},
      failure: { details: [{ turnkeyErrorCode: 'CONFIRMATION_REFUSED' }] },
    })
    expect(await whoami(user.orgId, user.key)).toBe(200)
    expect((await custody.decide(activity.id, 'end-sessions')).status).toBe(200)
    expect(await whoami(user.orgId, user.key)).toBe(401)
  },
)

test.each(attacks.filter(([name]) => /seed phrase|API key|address/.test(name)))(
  'executes a confirmed request once when a page script %s',
  async (_name, attack) => {
    const user = await custody.createUser({ passkeys: [createAuthenticator().register()] })
    const { body } = await attack(user)
    const [first, second] = await Promise.all([custody.decide(body.activity.id), custody.decide(body.activity.id)])
    expect([first.status, second.status].sort()).toEqual([200, 400])
    const confirmed = [first, second].find((reply) => reply.status === 200)
    const isAddress = body.activity.type === 'ACTIVITY_TYPE_UPDATE_USER'
    const state = isAddress ? 'passed-on' : 'confirmed'
    expect(confirmed?.body.confirmation).toMatchObject({ state, email: user.email })
    expect((await custody.decide(body.activity.id, 'refuse')).status).toBe(400)
  },
)

test('seals the confirmed export to the recorded key after the sign-in has aged', async () => {
  const user = await custody.createUser()
  const frame = await createTestFrame()
  const { body } = await exportTo(user, frame.targetPublicKey)
  custody.advance(10 * minuteMs)
  expect((await custody.decide(body.activity.id)).body.confirmation.state).toBe('confirmed')
  const done = await status(user, body.activity.id)
  expect(done).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED' })
  expect(done.failure).toBeUndefined()
  const data = JSON.parse(Buffer.from(JSON.parse(exported(done).exportBundle).data, 'hex').toString())
  expect(data.organizationId).toBe(user.orgId)
})

test('names action, account, app, browser and key fingerprint in mail and page', async () => {
  const user = await custody.createUser()
  const { targetPublicKey } = await createTestFrame()
  const text = JSON.stringify(
    custody.activity('ACTIVITY_TYPE_EXPORT_WALLET', user.orgId, { walletId: await walletOf(user), targetPublicKey }),
  )
  const { stampHeaderName, stampHeaderValue } = createStamp(text, user.key)
  const request = [
    '/public/v1/submit/export_wallet',
    text,
    {
      [stampHeaderName]: stampHeaderValue,
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537',
      origin: 'http://localhost:4100',
    },
  ] as const
  const { body } = await custody.send(...request)
  const digest = createHash('sha256').update(Buffer.from(targetPublicKey, 'hex')).digest('hex')
  const facts = {
    action: 'export-wallet',
    app: 'Test app',
    email: user.email,
    address: user.address,
    requestedFrom: 'Chrome on Windows',
    requestedAtMs: expect.any(Number),
    expiresAtMs: expect.any(Number),
    keyFingerprint: digest.slice(0, 16).replace(/(.{4})(?=.)/g, '$1 '),
  }
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  expect(content).toEqual({ kind: 'confirm', link: expect.any(String), ...facts })
  const link = new URL('link' in content ? String(content.link) : '')
  expect({ page: `${link.origin}${link.pathname}`, query: link.search }).toEqual({
    page: 'http://localhost:4104/confirm/',
    query: '',
  })
  const read = await custody.send(custodyPaths.readConfirmation, JSON.stringify({ secret: link.hash.slice(1) }))
  expect(read.body.confirmation).toEqual({ kind: 'confirm', state: 'open', organizationId: user.orgId, ...facts })

  expect((await custody.send(...request)).body).toEqual(body)
  const mailsQuery = custody.store.db.selectFrom('mail_outbox').select('id').where('activity_id', '=', body.activity.id)
  const mails = await mailsQuery.execute()
  expect(mails).toHaveLength(1)
})

test('collects votes before the submitter confirms', async () => {
  const owners = [newApiKey(), newApiKey()] as const
  const emails = ['first', 'second'].map((name) => `${name}-${owners[0].key.publicKey.slice(-12)}@example.com`)
  const rootUsers = owners.map(({ key }, index) => ({
    userEmail: emails[index],
    apiKeys: [{ apiKeyName: 'key', publicKey: key.publicKey, expirationSeconds: '86400' }],
  }))
  const { orgId, walletId } = await custody.signUp(rootUsers, { threshold: 2 })
  const [submitter, voter] = owners.map(({ key }) => ({ orgId, key })) as [Who, Who]
  const mails = async (activityId: string) =>
    custody.store.db.selectFrom('mail_outbox').select('id').where('activity_id', '=', activityId).execute()
  const { targetPublicKey } = await createTestFrame()
  const ask = async (): Promise<{ id: string; fingerprint: string; status: string }> => {
    const { body } = await submit('export_wallet', submitter, { walletId, targetPublicKey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    return body.activity
  }
  const vote = (verb: 'approve' | 'reject', fingerprint: string) => submit(`${verb}_activity`, voter, { fingerprint })

  const asked = await ask()
  expect(await mails(asked.id)).toEqual([])
  expect((await vote('approve', asked.fingerprint)).status).toBe(200)
  expect(await status(submitter, asked.id)).toMatchObject({
    status: 'ACTIVITY_STATUS_PENDING',
    result: {},
    confirmation: { by: 'mail' },
  })
  expect((await custody.readQueued(asked.id, 'confirm')).to).toBe(emails[0])
  expect((await vote('approve', asked.fingerprint)).status).toBe(400)
  expect((await custody.decide(asked.id)).body.confirmation.state).toBe('confirmed')
  const done = await status(submitter, asked.id)
  expect(done.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect(exported(done).exportBundle).toEqual(expect.any(String))

  const disliked = await ask()
  expect((await vote('reject', disliked.fingerprint)).status).toBe(200)
  expect(await mails(disliked.id)).toEqual([])
  const unwanted = await ask()
  await vote('approve', unwanted.fingerprint)
  await custody.decide(unwanted.id, 'refuse')
  expect(await status(submitter, unwanted.id)).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {} })
})

test('refuses an unknown secret and values from the database', async () => {
  const user = await custody.createUser()
  const { body } = await addKeys(user, [newApiKey().parameters])
  const rowQuery = custody.store.db.selectFrom('confirmations').selectAll().where('activity_id', '=', body.activity.id)
  const row = await rowQuery.executeTakeFirstOrThrow()
  const decide = (secret: string) =>
    custody.send(custodyPaths.decideConfirmation, JSON.stringify({ secret, decision: 'accept' }))
  expect((await decide(Buffer.from(row.secret_hash).toString('base64url'))).status).toBe(404)
  expect((await decide(Buffer.alloc(32).toString('base64url'))).status).toBe(404)
  expect((await decide('x')).status).toBe(400)

  // An attacker with write access to the database replaces the secret.
  const own = Buffer.alloc(32, 7)
  const confirmationsUpdate = custody.store.db.updateTable('confirmations').where('id', '=', row.id)
  await confirmationsUpdate.set({ secret_hash: createHash('sha256').update(own).digest() }).execute()
  expect((await decide(own.toString('base64url'))).status).toBe(404)
  expect(await status(user, body.activity.id)).toMatchObject({ status: 'ACTIVITY_STATUS_PENDING' })
})

test('refuses to execute an activity changed in the database', async () => {
  const user = await custody.createUser()
  const added = newApiKey()
  const { body } = await addKeys(user, [added.parameters])
  await custody.store.pool.query("update activities set updated_at = updated_at + interval '1 hour' where id = $1", [
    body.activity.id,
  ])
  await expect(custody.decide(body.activity.id)).resolves.toMatchObject({ status: 500 })
  expect(await whoami(user.orgId, added.key)).toBe(401)
})

test('offers no refusal for taking back a deletion', async () => {
  const user = await custody.createUser()
  const asked = await submit('delete_sub_organization', user, { deleteWithoutExport: true })
  await custody.decide(asked.body.activity.id)
  const decide = (decision: 'accept' | 'refuse' | 'end-sessions') =>
    custody.decide(asked.body.activity.id, decision, 'deletion-planned')
  expect((await decide('refuse')).status).toBe(400)
  expect((await decide('end-sessions')).status).toBe(400)
  expect((await decide('accept')).body.confirmation).toMatchObject({ kind: 'keep', state: 'confirmed' })
})

test('fails a pending request once the account is being deleted', async () => {
  const user = await custody.createUser()
  const { body } = await exportTo(user, (await createTestFrame()).targetPublicKey)
  const deletion = await submit('delete_sub_organization', user, { deleteWithoutExport: true })
  expect((await custody.decide(deletion.body.activity.id)).body.confirmation.state).toBe('confirmed')
  expect((await custody.decide(body.activity.id)).body.confirmation).toMatchObject({ state: 'failed' })
})

test('fails an activity whose link expired after 15 minutes', async () => {
  const user = await custody.createUser()
  const { body } = await addKeys(user, [newApiKey().parameters])
  custody.advance(16 * minuteMs)
  const late = await custody.decide(body.activity.id)
  expect(late).toMatchObject({ status: 403, body: { details: [{ turnkeyErrorCode: 'CONFIRMATION_EXPIRED' }] } })
  const failed = {
    status: 'ACTIVITY_STATUS_FAILED',
    failure: { details: [{ turnkeyErrorCode: 'CONFIRMATION_EXPIRED' }] },
  }
  expect(await status(user, body.activity.id)).toMatchObject(failed)
  await purgeCustody(custody)
  expect(await status(user, body.activity.id)).toMatchObject(failed)
})

test('fails pending requests of a revoked session', async () => {
  const user = await custody.createUser()
  const added = newApiKey()
  const { body } = await addKeys(user, [added.parameters])
  const keys = await custody.call('query/get_api_keys', { organizationId: user.orgId, userId: user.userId }, user.key)
  const apiKeyIds = keys.body.apiKeys.map((key: { apiKeyId: string }) => key.apiKeyId)
  const { body: ended } = await submit('delete_api_keys', user, { userId: user.userId, apiKeyIds })
  expect(ended.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  const { body: decided } = await custody.decide(body.activity.id)
  expect(decided.confirmation).toMatchObject({ state: 'failed', failure: expect.stringContaining('revoked') })
  expect(await whoami(user.orgId, added.key)).toBe(401)
})

test('refuses an invalid request without asking for confirmation', async () => {
  const user = await custody.createUser()
  const { targetPublicKey } = await createTestFrame()
  const walletId = '00000000-0000-4000-8000-000000000000'
  expect((await submit('export_wallet', user, { walletId, targetPublicKey })).status).toBe(404)
  const mailsQuery = custody.store.db.selectFrom('mail_outbox').select('id').where('user_id', '=', user.userId)
  const mails = await mailsQuery.execute()
  expect(mails).toEqual([])
})

test('allows only the confirmation page by CORS', async () => {
  const ask = (origin: string) =>
    custody.app.request(custodyPaths.decideConfirmation, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  expect((await ask('http://localhost:4100')).headers.get('access-control-allow-origin')).toBeNull()
  expect((await ask('http://localhost:4104')).headers.get('access-control-allow-origin')).toBe('http://localhost:4104')
  const call = await custody.app.request(custodyPaths.whoami, {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:4104', 'access-control-request-method': 'POST' },
  })
  expect(call.headers.get('access-control-allow-origin')).toBeNull()
})
