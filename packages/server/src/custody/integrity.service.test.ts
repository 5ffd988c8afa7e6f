import { randomBytes, randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { linkTemplate, startTestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { readMacKey } from './macKey.ts'
import { ethereumAddress } from './wallets/ethereumKey.ts'
import { storePrivateKey } from './wallets/privateKeys.ts'

/** The attacker can only write to the database. Each test changes rows that custody trusts. */
const custody = await startTestCustody()
const victim = await custody.createUser({ email: 'victim@example.com' })
const attacker = await custody.createUser({ email: 'attacker@example.com' })
afterAll(() => custody.close())

const run = (text: string, ...values: unknown[]) => custody.store.pool.query(text, values)
const whoami = (orgId: string, key: TestUser['key']) => custody.call('query/whoami', { organizationId: orgId }, key)
const codeOf = ({ body }: { body: { details: { turnkeyErrorCode: string }[] } }) => body.details[0]?.turnkeyErrorCode

test('refuses credentials inserted or moved in the database', async () => {
  const key = createApiKeyPair()
  await run(
    `insert into credentials (id, user_id, org_id, kind, name, public_key, expires_at, mac)
     select $1, user_id, org_id, kind, 'x', $2, expires_at, mac from credentials where user_id = $3`,
    randomUUID(),
    key.publicKey,
    victim.userId,
  )
  expect(codeOf(await whoami(victim.orgId, key))).toBe('PUBLIC_KEY_NOT_FOUND')
  // One of the last two log lines reports the forged row.
  expect(custody.logs.slice(-2).join('\n')).toContain('was not written by custody')

  const other = await custody.createUser()
  await run(
    'update credentials set user_id = $1, org_id = $2 where user_id = $3',
    victim.userId,
    victim.orgId,
    other.userId,
  )
  expect(codeOf(await whoami(victim.orgId, other.key))).toBe('PUBLIC_KEY_NOT_FOUND')
})

test('refuses a credential whose times or kind changed', async () => {
  for (const change of [
    `expires_at = now() + interval '9 years'`,
    'expires_at = null',
    `authenticated_at = now() + interval '1 hour'`,
    `created_at = now() + interval '1 hour'`,
    `type = 'CREDENTIAL_TYPE_LOGIN'`,
    'email_session = not email_session',
  ]) {
    const user = await custody.createUser()
    await run(`update credentials set ${change} where user_id = $1`, user.userId)
    expect(codeOf(await whoami(user.orgId, user.key)), change).toBe('PUBLIC_KEY_NOT_FOUND')
  }
})

test('refuses a credential whose revocation was removed', async () => {
  const user = await custody.createUser()
  const [row] = (await run('select id from credentials where user_id = $1', user.userId)).rows
  const deletion = custody.activity('ACTIVITY_TYPE_DELETE_API_KEYS', user.orgId, {
    userId: user.userId,
    apiKeyIds: [row.id],
  })
  expect((await custody.call('submit/delete_api_keys', deletion, user.key)).status).toBe(200)
  expect(codeOf(await whoami(user.orgId, user.key))).toBe('CREDENTIAL_NOT_FOUND')
  await run('update credentials set revoked_at = null where id = $1', row.id)
  expect(codeOf(await whoami(user.orgId, user.key))).toBe('PUBLIC_KEY_NOT_FOUND')
})

test('refuses a passkey whose counter or relying party changed', async () => {
  for (const change of ['counter = 0', `rp_id = 'evil.example'`]) {
    const passkey = createAuthenticator()
    const user = await custody.createUser({ passkeys: [passkey.register()] })
    const call = () => custody.callByPasskey('query/whoami', { organizationId: user.orgId }, passkey)
    expect((await call()).status).toBe(200)
    await run(`update credentials set ${change} where credential_id = $1`, passkey.credentialId)
    expect(codeOf(await call()), change).toBe('CREDENTIAL_NOT_FOUND')
  }
})

test('hides a user that custody did not write', async () => {
  const { orgId, userId, key } = await custody.createUser()
  await run(`update users set email = 'evil@example.com' where id = $1`, userId)
  const { body } = await custody.call('query/list_users', { organizationId: orgId }, key)
  expect(body.users).toEqual([])
  expect(custody.logs.at(-1)).toContain('was not written by custody')
})

test('refuses mails to a redirected address', async () => {
  const { targetPublicKey } = createTestExportFrame()
  const ask = (email: string) =>
    custody.call(
      'submit/email_auth',
      custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', victim.orgId, {
        email,
        targetPublicKey,
        emailCustomization: { magicLinkTemplate: linkTemplate },
      }),
      custody.rootKey,
    )
  expect((await ask('victim@example.com')).status).toBe(200)
  await run('update users set email = $1 where id = $2', 'mallory@example.com', victim.userId)
  for (const email of ['mallory@example.com', 'victim@example.com']) expect((await ask(email)).status).toBe(400)
  const { rows } = await run(`select 1 from mail_outbox where recipient = 'mallory@example.com'`)
  expect(rows).toEqual([])
  await run('update users set email = $1 where id = $2', 'victim@example.com', victim.userId)
  expect((await ask('victim@example.com')).status).toBe(200)
})

test('ignores account addresses that were changed, added or moved', async () => {
  const list = async ({ orgId, key }: TestUser) =>
    (await custody.call('query/list_wallet_accounts', { organizationId: orgId }, key)).body.accounts.map(
      (account: { address: string }) => account.address,
    )
  const user = await custody.createUser()
  const evil = `0x${'1'.repeat(40)}`
  await run(
    `insert into wallet_accounts (id, wallet_id, org_id, path, address, public_key, mac, created_at)
     select $1, wallet_id, org_id, 'm/1', $2, public_key, mac, created_at - interval '1 day'
     from wallet_accounts where org_id = $3`,
    randomUUID(),
    evil,
    user.orgId,
  )
  expect((await whoami(user.orgId, user.key)).body.address).toBe(user.address)
  expect(await list(user)).toEqual([user.address])
  await run('update wallet_accounts set address = $1 where address = $2', attacker.address, user.address)
  expect((await whoami(user.orgId, user.key)).body).not.toHaveProperty('address')
  expect(await list(user)).toEqual([])
})

test('refuses an organization with a changed parent, threshold or deletion', async () => {
  const changes = ['parent_id = null', `parent_id = '${attacker.orgId}'`, 'root_quorum_threshold = 2']
  for (const change of [...changes, 'deleted_at = now()']) {
    const user = await custody.createUser()
    await run(`update organizations set ${change} where id = $1`, user.orgId)
    expect(codeOf(await whoami(user.orgId, user.key)), change).toBe('ORGANIZATION_NOT_FOUND')
  }
})

const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-stamp' }

test('ignores origins and projects added in the database', async () => {
  const origin = 'https://evil.example'
  const passkey = createAuthenticator({ origin, rpId: 'evil.example' })
  const authenticators = [{ authenticatorName: 'passkey', ...passkey.register() }]
  const register = () =>
    custody.call(
      'submit/create_sub_organization',
      custody.activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', custody.rootOrganizationId, {
        subOrganizationName: 'x',
        rootUsers: [{ userName: 'x', apiKeys: [], authenticators, oauthProviders: [] }],
        rootQuorumThreshold: 1,
      }),
      custody.rootKey,
    )
  const { rows } = await run('select allowed_origins from projects')
  await run(`update projects set allowed_origins = allowed_origins || $1`, [origin])
  expect((await register()).status).toBe(400)
  // A replica that starts now has not read the earlier origins.
  const copy = await custody.startCopy()
  const read = (from: string) =>
    copy.request('/public/v1/query/whoami', { method: 'OPTIONS', headers: { origin: from, ...preflight } })
  expect((await read(origin)).headers.get('access-control-allow-origin')).toBeNull()
  await run('update projects set allowed_origins = $1', rows[0].allowed_origins)
  await run(
    `insert into projects (id, name, api_key_hash, redirect_urls, allowed_origins)
     select 'evil', 'Evil', '\\x00', redirect_urls, $1 from projects`,
    [origin],
  )
  expect((await register()).status).toBe(400)
  await run(`delete from projects where id = 'evil'`)
})

test('refuses to return a changed activity', async () => {
  const { orgId, address, key } = await custody.createUser()
  const text = JSON.stringify(
    custody.activity('ACTIVITY_TYPE_CREATE_WALLET', orgId, { ...walletParameters, walletName: 'second' }),
  )
  const { activity } = (await custody.call('submit/create_wallet', text, key)).body
  const get = () => custody.call('query/get_activity', { organizationId: orgId, activityId: activity.id }, key)
  const list = () => custody.call('query/list_activities', { organizationId: orgId }, key)
  const again = () => custody.call('submit/create_wallet', text, key)
  const [kept] = (await run('select * from activities where id = $1', activity.id)).rows
  for (const change of [
    `result = '{"createWalletResult":{"walletId":"x","addresses":["${address}"]}}'`,
    `status = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'`,
    `intent = '{}'`,
    `failure = '{}'`,
    'threshold = 2',
    `result_expires_at = now() + interval '1 day'`,
  ]) {
    await run(`update activities set ${change} where id = $1`, activity.id)
    for (const ask of [get, list, again]) {
      const { status, body } = await ask()
      expect([status, body.message], change).toEqual([
        500,
        'This activity was changed from outside, so it is not answered. Run `latchkey-server audit verify`.',
      ])
    }
    await run(
      `update activities set result = $1, status = $2, intent = $3, failure = null, threshold = 1,
       result_expires_at = null where id = $4`,
      kept.result,
      kept.status,
      kept.intent,
      activity.id,
    )
    expect((await again()).body.activity).toEqual(activity)
  }
})

test('hides an imported key with a changed address and refuses to use it', async () => {
  const { orgId, key } = await custody.createUser()
  const { store, deps } = custody
  const sealer = { keyEncryption: deps.keyEncryption, macKey: await readMacKey(store.db, deps.keyEncryption) }
  const [mine, other] = [randomBytes(32), randomBytes(32)]
  const imported = await storePrivateKey(store.db, sealer, { orgId, name: 'mine', privateKey: mine })
  const { address } = ethereumAddress(other)
  await run('update private_keys set address = $1 where id = $2', address, imported.privateKeyId)
  const { body } = await custody.call('query/list_private_keys', { organizationId: orgId }, key)
  expect(body.privateKeys).toEqual([])
  expect(custody.logs.at(-1)).toContain('was not written by custody')
  for (const signWith of [address, imported.privateKeyId]) {
    const signing = custody.signing({ orgId, address: signWith })
    const refused = await custody.call('submit/sign_raw_payload', signing, key)
    expect([refused.status, refused.body.message]).toEqual([
      500,
      'The stored address does not belong to its key. It was not used.',
    ])
  }
})
