import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readMacKey } from '../macKey.ts'
import { mac } from '../macs.ts'

const passkey = createAuthenticator()
const registration = passkey.register()
const custody = await startTestCustody()
const user = await custody.createUser({ passkeys: [registration] })
afterAll(() => custody.close())

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
const time = { seconds: expect.stringMatching(/^\d{10}$/), nanos: expect.stringMatching(/^\d+$/) }
const ask = (call: string, parameters: object = {}, { orgId, key } = user) =>
  custody.call(`query/${call}`, { organizationId: orgId, ...parameters }, key)

test('returns the documented shapes', async () => {
  const times = { createdAt: time, updatedAt: time }
  const { body: organization } = await ask('get_organization')
  const account = {
    apiKeyId: id,
    apiKeyName: 'test',
    credential: { publicKey: user.key.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
    expirationSeconds: '86400',
    ...times,
  }
  const authenticator = {
    authenticatorId: id,
    authenticatorName: 'passkey-1',
    transports: registration.attestation.transports,
    attestationType: 'none',
    aaguid: '00112233-4455-6677-8899-aabbccddeeff',
    credentialId: registration.attestation.credentialId,
    model: '',
    credential: {
      publicKey: expect.stringMatching(/^a5010203262001215820[0-9a-f]+$/),
      type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
    },
    ...times,
  }
  const self = {
    userId: user.userId,
    userName: 'User',
    userEmail: user.email,
    authenticators: [authenticator],
    apiKeys: [account],
    userTags: [],
    oauthProviders: [],
    mfaPolicies: [],
    ...times,
  }
  const wallet = { walletId: id, walletName: 'Wallet', exported: false, imported: false, ...times }
  expect(organization).toEqual({
    organizationData: {
      organizationId: user.orgId,
      name: 'User',
      users: [self],
      policies: [],
      privateKeys: [],
      invitations: [],
      tags: [],
      rootQuorum: { threshold: 1, userIds: [user.userId] },
      features: [],
      wallets: [wallet],
      smartContractInterfaceReferences: [],
    },
  })
  const { userId } = user
  expect((await ask('list_users')).body).toEqual({ users: [self] })
  expect((await ask('get_user', { userId: userId.toUpperCase() })).body).toEqual({ user: self })
  expect((await ask('get_authenticators', { userId })).body).toEqual({ authenticators: [authenticator] })
  expect((await ask('get_api_keys', { userId })).body).toEqual({ apiKeys: [account] })
  expect((await ask('get_api_keys')).body).toEqual({ apiKeys: [account] })
  const [{ walletId }] = (await ask('list_wallets')).body.wallets
  expect((await ask('get_wallet', { walletId })).body).toEqual({ wallet })
  expect((await ask('get_organization_configs')).body).toEqual({
    configs: { features: [], quorum: { threshold: 1, userIds: [user.userId] } },
  })
  const accounts = [
    {
      walletAccountId: id,
      organizationId: user.orgId,
      walletId,
      ...walletParameters.accounts[0],
      address: user.address,
      ...times,
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
    },
  ]
  expect((await ask('list_wallet_accounts')).body).toEqual({ accounts })
  const detailed = (await ask('list_wallet_accounts', { includeWalletDetails: true })).body.accounts
  expect(detailed).toMatchObject([{ address: user.address, walletDetails: { walletId } }])
})

test('lists the accounts of one wallet', async () => {
  const list = async (parameters: object = {}, who = user) =>
    (await ask('list_wallet_accounts', parameters, who)).body.accounts
  const [{ walletId }] = await list()
  expect(await list({ walletId })).toEqual(await list())
  const [theirs] = await list({}, await custody.createUser())
  for (const other of [randomUUID(), theirs.walletId]) expect(await list({ walletId: other })).toEqual([])
})

test('lists activities newest first, by status, type and page', async () => {
  const owner = await custody.createUser()
  for (const walletName of ['A', 'B', 'C']) {
    const request = custody.activity('ACTIVITY_TYPE_CREATE_WALLET', owner.orgId, { walletName, accounts: [] })
    expect((await custody.call('submit/create_wallet', request, owner.key)).status).toBe(200)
  }
  const { userId } = owner
  const apiKeys = [{ apiKeyName: 'x', publicKey: createApiKeyPair().publicKey }]
  custody.advance(301_000)
  const refused = custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS', owner.orgId, { userId, apiKeys })
  expect((await custody.call('submit/create_api_keys', refused, owner.key)).status).toBe(403)
  custody.advance(-301_000)
  const names = async (parameters: object = {}) => {
    const { status, body } = await ask('list_activities', parameters, owner)
    expect(status).toBe(200)
    return body.activities.map((activity: { id: string; intent: { createWalletIntent: { walletName: string } } }) => [
      activity.intent.createWalletIntent.walletName,
      activity.id,
    ]) as [string, string][]
  }
  const all = await names()
  expect(all.map(([name]) => name)).toEqual(['C', 'B', 'A'])
  const [newest, middle, oldest] = all
  const page = (paginationOptions: object) => names({ paginationOptions })
  expect(await page({ limit: '1' })).toEqual([newest])
  expect(await page({ limit: '1', after: newest?.[1] })).toEqual([middle])
  expect(await page({ limit: 1, before: oldest?.[1] })).toEqual([middle])
  expect(await page({ after: newest?.[1], before: oldest?.[1] })).toEqual([middle])
  expect(await page({ after: oldest?.[1] })).toEqual([])
  expect(await names({ filterByStatus: ['ACTIVITY_STATUS_COMPLETED'] })).toEqual(all)
  expect(await names({ filterByStatus: ['ACTIVITY_STATUS_REJECTED'] })).toEqual([])
  expect(await names({ filterByType: ['ACTIVITY_TYPE_CREATE_WALLET', 'x'] })).toEqual(all)
  expect(await names({ filterByType: ['ACTIVITY_TYPE_EXPORT_WALLET'] })).toEqual([])
  const foreign = await ask('list_activities', { paginationOptions: { after: newest?.[1] } })
  expect(foreign).toMatchObject({ status: 404, body: { code: 5 } })
})

test('lists sub-organizations by every filter and page', async () => {
  for (let others = 0; others < 2; others++) await custody.createUser()
  const parent = { ...user, orgId: custody.rootOrganizationId, key: custody.rootKey }
  const list = async (parameters: object = {}) => {
    const { status, body } = await ask('list_suborgs', parameters, parent)
    expect([status, body.message]).toEqual([200, undefined])
    return body.organizationIds as string[]
  }
  const by = (filterType: string, filterValue: string) => list({ filterType, filterValue })
  const own = [user.orgId]
  expect(await by('EMAIL', user.email.toUpperCase())).toEqual(own)
  expect(await by('CREDENTIAL_ID', registration.attestation.credentialId)).toEqual(own)
  expect(await by('PUBLIC_KEY', user.key.publicKey.toUpperCase())).toEqual(own)
  expect(await by('WALLET_ACCOUNT_ADDRESS', user.address.toLowerCase())).toEqual(own)
  expect(await by('NAME', 'User')).toContain(user.orgId)
  expect(await by('USERNAME', 'User')).toContain(user.orgId)
  for (const type of ['NAME', 'USERNAME', 'EMAIL', 'CREDENTIAL_ID', 'PUBLIC_KEY', 'WALLET_ACCOUNT_ADDRESS'])
    expect(await by(type, "x' or true --"), type).toEqual([])
  expect(await by('PHONE_NUMBER', 'x')).toEqual([])
  const all = await list()
  expect(all[0]).toBe(user.orgId)
  const [first, second, third] = all
  expect(await list({ paginationOptions: { limit: '2' } })).toEqual([first, second])
  expect(await list({ paginationOptions: { limit: '1', after: second } })).toEqual([third])
  expect(await list({ paginationOptions: { limit: '1', before: third } })).toEqual([second])
  expect((await ask('list_suborgs')).body).toEqual({ organizationIds: [] })
  for (const wrong of [{ filterType: 'EMAIL' }, { filterValue: 'x' }, { filterType: 'SHOE_SIZE', filterValue: '42' }])
    expect(await ask('list_suborgs', wrong, parent)).toMatchObject({ status: 400, body: { code: 3 } })
  const unknown = { paginationOptions: { after: randomUUID() } }
  expect(await ask('list_suborgs', unknown, parent)).toMatchObject({ status: 404, body: { code: 5 } })
})

test('finds sub-organizations only by proven addresses', async () => {
  const [first, second] = [await custody.createUser(), await custody.createUser()]
  const parent = { ...user, orgId: custody.rootOrganizationId, key: custody.rootKey }
  const find = async (parameters: object) => {
    const { status, body } = await ask('list_verified_suborgs', parameters, parent)
    return status === 200 ? body.organizationIds : [status, body.code]
  }
  const byEmail = (filterValue: string) => find({ filterType: 'EMAIL', filterValue })
  expect(await byEmail(first.email)).toEqual([])
  const { db } = custody.store
  const macKey = await readMacKey(db, custody.deps.keyEncryption)
  const prove = async ({ userId }: TestUser, isGenuine: boolean) => {
    const row = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow()
    const proven = { ...row, email_verified_at: new Date() }
    const set = { email_verified_at: proven.email_verified_at, ...(isGenuine && { mac: mac(macKey, 'users', proven) }) }
    await db.updateTable('users').set(set).where('id', '=', userId).execute()
  }
  await prove(first, true)
  await prove(second, false)
  expect(await byEmail(first.email.toUpperCase())).toEqual([first.orgId])
  // Write access to the database does not suffice to claim an address.
  expect(await byEmail(second.email)).toEqual([])
  expect(await find({})).toEqual([first.orgId])
  expect(await find({ filterType: 'PHONE_NUMBER', filterValue: '+1' })).toEqual([])
  expect(await find({ filterType: 'EMAIL' })).toEqual([400, 3])
  expect(await find({ filterType: 'NAME', filterValue: 'User' })).toEqual([400, 3])
})

test('reads with a read-only session until the key that made it ends', async () => {
  const owner = await custody.createUser({ expirationSeconds: '3600' })
  const { orgId, userId } = owner
  const make = async () => {
    const request = custody.activity('ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION', orgId, {})
    const { activity } = (await custody.call('submit/create_read_only_session', request, owner.key)).body
    return activity.result.createReadOnlySessionResult
  }
  const made = await make()
  const identity = { organizationId: orgId, organizationName: 'User', userId, username: 'User' }
  expect(made).toEqual({ ...identity, session: expect.any(String), sessionExpiry: expect.stringMatching(/^\d{10}$/) })
  const read = (call: string, session: string, body: object = { organizationId: orgId }, headers = {}) =>
    custody.send(`/public/v1/query/${call}`, JSON.stringify(body), { 'x-session': session, ...headers })
  expect((await read('list_wallets', made.session)).body.wallets).toHaveLength(1)
  const byParent = { organizationId: custody.rootOrganizationId }
  expect((await read('whoami', made.session, byParent)).body).toMatchObject(identity)
  expect((await read('list_suborgs', made.session, byParent)).status).toBe(403)
  // A read-only session cannot read the token of another session, so it cannot extend itself.
  await make()
  const { activities } = (await read('list_activities', made.session)).body
  expect(activities).toHaveLength(2)
  expect(JSON.stringify(activities)).not.toContain('readonly.')
  expect(JSON.stringify((await ask('list_activities', {}, owner)).body)).toContain('readonly.')
  // A stamp takes precedence over a session.
  expect((await read('list_wallets', made.session, { organizationId: orgId }, { 'x-stamp': 'e30' })).status).toBe(401)
  for (const wrong of ['', 'x', made.session.slice(0, -2), made.session.replace(/\.\d{10}\./, '.9999999999.')])
    expect((await read('list_wallets', wrong)).body).toMatchObject({
      details: [{ turnkeyErrorCode: 'SIGNATURE_INVALID' }],
    })
  custody.advance(14 * 60_000)
  expect((await read('list_wallets', made.session)).status).toBe(200)
  custody.advance(60_000)
  const ended = await read('list_wallets', made.session)
  custody.advance(-15 * 60_000)
  expect(ended.body).toMatchObject({ details: [{ turnkeyErrorCode: 'API_KEY_EXPIRED' }] })
})
