import { createHash } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { type Reply, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey, type Who } from '@latchkey/testkit/custodyCalls'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { bytesToHex } from 'viem'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../../platform/crypto/createStamp.ts'

// A script in the app's page can use the session's stamps. It can neither click nor read mail, so its requests stay
// unconfirmed.

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

test('seals a confirmed export to the page of the confirmation, not to the key of the request', async () => {
  const user = await custody.createUser()
  const thief = createTestExportFrame()
  const { body } = await exportTo(user, thief.targetPublicKey)
  const { id, confirmation: asked } = body.activity
  expect(asked.reveals).toBe('phrase')
  custody.advance(10 * minuteMs)
  const { content } = await custody.readQueued(id, 'confirm')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  const decide = (more: object) =>
    custody.send(custodyPaths.decideConfirmation, JSON.stringify({ secret, decision: 'accept', ...more }))
  expect(await decide({})).toMatchObject({ status: 400, body: { message: expect.stringContaining('Open the link') } })
  const { confirmation } = (await custody.decide(id)).body
  expect(confirmation).toMatchObject({ state: 'confirmed', reveals: 'phrase' })
  const sealed = { signer: custody.bundleSigner, organizationId: user.orgId }
  const phrase = new TextDecoder().decode(await custody.confirmationPage.open(confirmation.exportBundle, sealed))
  expect(mnemonicToAccount(phrase).address).toBe(user.address)
  await expect(thief.open(confirmation.exportBundle, sealed)).rejects.toThrow()
  // The app learns only that the export is done.
  const done = await status(user, id)
  expect([done.status, done.failure]).toEqual(['ACTIVITY_STATUS_COMPLETED', undefined])
  expect(done.result).toEqual({ exportWalletResult: { walletId: await walletOf(user) } })
  // After a lost response, the page reads the secret again while the request can be repeated.
  const read = () => custody.send(custodyPaths.readConfirmation, JSON.stringify({ secret }))
  expect((await read()).body.confirmation).toEqual(confirmation)
  // Another key cannot receive the secret later.
  expect((await decide({ targetPublicKey: thief.targetPublicKey })).status).toBe(400)
})

test('asks even a proven passkey before an export, whose prompt does not name it', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  custody.advance(1_441 * minuteMs)
  const request = custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', user.orgId, {
    address: user.address,
    targetPublicKey: createTestExportFrame().targetPublicKey,
  })
  const { body } = await custody.callByPasskey('submit/export_wallet_account', request, passkey)
  expect(body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_PENDING', confirmation: { reveals: 'key' } })
})

test('seals a confirmed export to the key of the request if every project says so', async () => {
  const open = await startTestCustody({ project: { confirmations: 'mail', exportsTo: 'frame' } })
  try {
    const user = await open.createUser()
    const frame = createTestExportFrame()
    const parameters = { address: user.address, targetPublicKey: frame.targetPublicKey }
    const request = open.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', user.orgId, parameters)
    const send = () => open.call('submit/export_wallet_account', request, user.key)
    const { id, confirmation } = (await send()).body.activity
    expect(confirmation.reveals).toBeUndefined()
    expect((await open.decide(id)).body.confirmation).toMatchObject({ keyFingerprint: expect.any(String) })
    const { exportBundle } = (await send()).body.activity.result.exportWalletAccountResult
    const opened = await frame.open(exportBundle, { signer: open.bundleSigner, organizationId: user.orgId })
    expect(privateKeyToAddress(bytesToHex(opened))).toBe(user.address)
  } finally {
    await open.close()
  }
})

test('names action, account, app, browser and key fingerprint in mail and page', async () => {
  const user = await custody.createUser()
  const { targetPublicKey } = await createTestFrame()
  const text = JSON.stringify(
    custody.activity('ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2', user.orgId, { targetPublicKey }),
  )
  const { stampHeaderName, stampHeaderValue } = createStamp(text, user.key)
  const request = [
    '/public/v1/submit/create_read_write_session',
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
    action: 'start-session',
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
  const { confirmation } = (await custody.decide(asked.id)).body
  expect(confirmation).toMatchObject({ state: 'confirmed', exportBundle: expect.any(String) })
  expect((await status(submitter, asked.id)).status).toBe('ACTIVITY_STATUS_COMPLETED')

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
