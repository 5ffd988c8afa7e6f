import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { type Reply, startTestCustody } from '@latchkey/testkit/custody'
import { openBundle } from '@latchkey/testkit/openBundle'
import { p256 } from '@noble/curves/nist.js'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../../keys/createApiKeyPair.ts'

const custody = await startTestCustody({ project: { parentCredentials: 'refused', confirmations: 'mail' } })
const { issuer, rootKey } = custody
afterAll(() => custody.close())

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const createFrame = () => {
  const privateKey = p256.utils.randomSecretKey()
  return { privateKey, publicKey: toHex(p256.getPublicKey(privateKey, false)) }
}
const code = ({ body }: Reply): string => body.details?.[0]?.turnkeyErrorCode ?? body.activity.status

type Claims = Record<string, unknown>
const createPerson = (claims: Claims = {}): Claims => ({ sub: randomUUID(), ...claims })
const createAddress = () => `${randomUUID()}@example.com`

async function signUp(claims: Claims, user: object = {}): Promise<Reply> {
  const oidcToken = await issuer.sign({ boundTo: createFrame().publicKey, claims })
  const request = custody.activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', custody.rootOrganizationId, {
    subOrganizationName: 'User',
    rootUsers: [
      {
        userName: 'User',
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: 'local', oidcToken }],
        ...user,
      },
    ],
    rootQuorumThreshold: 1,
  })
  return custody.call('submit/create_sub_organization', request, rootKey)
}

async function createAccount(claims: Claims, user?: object): Promise<{ orgId: string; userId: string }> {
  const { body } = await signUp(claims, user)
  const { subOrganizationId: orgId, rootUserIds } = body.activity.result.createSubOrganizationResultV7
  return { orgId, userId: rootUserIds[0] }
}

async function signIn(orgId: string, claims: Claims, frame = createFrame(), boundTo = frame.publicKey) {
  const oidcToken = await issuer.sign({ boundTo, claims })
  const request = custody.activity('ACTIVITY_TYPE_OAUTH', orgId, { oidcToken, targetPublicKey: frame.publicKey })
  return custody.call('submit/oauth', request, rootKey)
}

async function openSession(orgId: string, claims: Claims) {
  const frame = createFrame()
  const { body } = await signIn(orgId, claims, frame)
  const privateKey = await openBundle(body.activity.result.oauthResult.credentialBundle, frame.privateKey)
  return { privateKey: toHex(privateKey), publicKey: toHex(p256.getPublicKey(privateKey, true)) }
}

const listProviders = async (orgId: string) =>
  (await custody.call('query/get_oauth_providers', { organizationId: orgId }, rootKey)).body.oauthProviders

test('signs up and in by a token, and seals the session to the frame that asked', async () => {
  const email = createAddress()
  const ann = createPerson({ email, email_verified: true })
  const { orgId, userId } = await createAccount(ann, { userEmail: email })
  const key = await openSession(orgId, ann)
  const who = await custody.call('query/whoami', { organizationId: orgId }, key)
  expect(who.body).toMatchObject({ organizationId: orgId, userId })
  expect(await listProviders(orgId)).toMatchObject([
    { providerName: 'local', issuer: issuer.provider.issuer, audience: issuer.clientId, subject: ann.sub },
  ])
  // The token proved the address.
  const verified = await custody.call(
    'query/list_verified_suborgs',
    { organizationId: custody.rootOrganizationId, filterType: 'EMAIL', filterValue: email },
    rootKey,
  )
  expect(verified.body.organizationIds).toEqual([orgId])
})

test('opens a session for a key that the client holds', async () => {
  const bob = createPerson()
  const { orgId, userId } = await createAccount(bob)
  const key = createApiKeyPair()
  const oidcToken = await issuer.sign({ boundTo: key.publicKey, claims: bob })
  const login = (publicKey: string) =>
    custody.call(
      'submit/oauth_login',
      custody.activity('ACTIVITY_TYPE_OAUTH_LOGIN', orgId, { oidcToken, publicKey }),
      rootKey,
    )
  const { body } = await login(key.publicKey)
  const [, claims = ''] = body.activity.result.oauthLoginResult.session.split('.')
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ user_id: userId })
  expect((await custody.call('query/whoami', { organizationId: orgId }, key)).status).toBe(200)
  expect(code(await login(createApiKeyPair().publicKey))).toBe('OIDC_TOKEN_INVALID')
})

test('gives a taken-over signer API no session by a token that it sees', async () => {
  const ann = createPerson()
  const { orgId, userId } = await createAccount(ann)
  const [frame, mine] = [createFrame(), createFrame()]
  expect(code(await signIn(orgId, ann, mine, frame.publicKey))).toBe('OIDC_TOKEN_INVALID')
  // The parent may neither enter another person's account nor add that person's identity to its own account.
  const mallory = createPerson()
  const { orgId: foreign } = await createAccount(mallory)
  expect(code(await signIn(foreign, ann))).toBe('CREDENTIAL_NOT_FOUND')
  const key = await openSession(foreign, mallory)
  const victim = await issuer.sign({ boundTo: frame.publicKey, claims: createPerson() })
  expect(code(await addProvider(foreign, key, victim))).toBe('OIDC_TOKEN_INVALID')
  expect(code(await addProvider(orgId, rootKey, victim, userId))).toBe('REQUEST_NOT_AUTHORIZED')
})

test('makes no account of a token beside another way in', async () => {
  const claims = () => createPerson({ email: createAddress(), email_verified: true })
  const apiKeys = [{ apiKeyName: 'key', publicKey: createApiKeyPair().publicKey, curveType: 'API_KEY_CURVE_P256' }]
  for (const user of [{ apiKeys }, { userEmail: createAddress() }])
    expect(code(await signUp(claims(), user))).toBe('FOREIGN_CREDENTIAL')
  const unverified = createPerson({ email: createAddress(), email_verified: false })
  expect(code(await signUp(unverified, { userEmail: unverified.email }))).toBe('FOREIGN_CREDENTIAL')
})

test('knows an identity once in a parent, and finds its organization by a token', async () => {
  const ann = createPerson()
  const { orgId } = await createAccount(ann)
  expect(code(await signUp(ann))).toBe('CREDENTIAL_CONFLICT')
  const find = async (token: string) =>
    custody.call(
      'query/list_suborgs',
      { organizationId: custody.rootOrganizationId, filterType: 'OIDC_TOKEN', filterValue: token },
      rootKey,
    )
  const boundTo = createFrame().publicKey
  expect((await find(await issuer.sign({ boundTo, claims: ann }))).body.organizationIds).toEqual([orgId])
  expect((await find(await issuer.sign({ boundTo }))).body.organizationIds).toEqual([])
  expect(code(await find(await issuer.sign({ boundTo, claims: { ...ann, aud: 'other' } })))).toBe('OIDC_TOKEN_INVALID')
})

test('links a token that proves the address of an account', async () => {
  const email = createAddress()
  const { orgId, userIds } = await custody.signUp([{ userEmail: email }])
  const ann = createPerson({ email: email.toUpperCase(), email_verified: true })
  const link = async (claims: Claims) =>
    addProvider(orgId, rootKey, await issuer.sign({ boundTo: createFrame().publicKey, claims }), userIds[0])
  for (const claims of [
    createPerson({ email, email_verified: false }),
    createPerson({ email: createAddress(), email_verified: true }),
  ])
    expect(code(await link(claims))).toBe('REQUEST_NOT_AUTHORIZED')
  const linked = await link(ann)
  expect(code(linked)).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await custody.readQueued(linked.body.activity.id, 'provider-added')).to).toBe(email)
  expect((await signIn(orgId, ann)).status).toBe(200)
})

test('does not link to an account that somebody else can enter', async () => {
  const email = createAddress()
  const { orgId, userIds } = await custody.signUp([{ userEmail: email, apiKeys: [newKey()] }])
  const oidcToken = await issuer.sign({
    boundTo: createFrame().publicKey,
    claims: createPerson({ email, email_verified: true }),
  })
  expect(code(await addProvider(orgId, rootKey, oidcToken, userIds[0]))).toBe('REQUEST_NOT_AUTHORIZED')
})

test('adds and removes a provider once its user has confirmed it by email', async () => {
  const email = createAddress()
  const ann = createPerson({ email, email_verified: true })
  const { orgId, userId } = await createAccount(ann, { userEmail: email })
  const key = await openSession(orgId, ann)
  const work = createPerson()
  const oidcToken = await issuer.sign({ boundTo: key.publicKey, claims: work })
  const pending = await addProvider(orgId, key, oidcToken, userId)
  expect(pending.body.activity.confirmation).toMatchObject({ action: 'add-provider' })
  expect(code(await signIn(orgId, work))).toBe('CREDENTIAL_NOT_FOUND')
  await custody.decide(pending.body.activity.id)
  const other = await openSession(orgId, work)
  const { providerId } = (await listProviders(orgId)).find((each: { subject: string }) => each.subject === work.sub)
  const removal = custody.activity('ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS', orgId, { userId, providerIds: [providerId] })
  const asked = await custody.call('submit/delete_oauth_providers', removal, key)
  expect(asked.body.activity.confirmation).toMatchObject({ action: 'remove-provider' })
  await custody.decide(asked.body.activity.id)
  expect(code(await custody.call('query/whoami', { organizationId: orgId }, other))).toBe('CREDENTIAL_NOT_FOUND')
  expect((await custody.call('query/whoami', { organizationId: orgId }, key)).status).toBe(200)
  expect(code(await signIn(orgId, work))).toBe('CREDENTIAL_NOT_FOUND')
})

test('shows whose identity it is to the user who confirms', async () => {
  const ann = createPerson({ email: createAddress(), email_verified: true })
  const { orgId, userId } = await createAccount(ann, { userEmail: String(ann.email) })
  const key = await openSession(orgId, ann)
  const work = createAddress()
  const ask = async (claims: Claims) => {
    const oidcToken = await issuer.sign({ boundTo: key.publicKey, claims })
    const { body } = await addProvider(orgId, key, oidcToken, userId)
    const { content } = await custody.readQueued(body.activity.id, 'confirm')
    return 'detail' in content ? content.detail : undefined
  }
  expect(await ask(createPerson({ email: work, email_verified: true }))).toBe(`Local (${work})`)
  // An address that the provider has not verified may belong to anyone.
  const mallory = createPerson({ email: work, email_verified: false })
  expect(await ask(mallory)).toBe(`Local (account ${mallory.sub})`)
})

test('ignores a provider that custody did not write', async () => {
  const [ann, mallory] = [createPerson(), createPerson()]
  const { orgId } = await createAccount(ann)
  const { db } = custody.store
  await db
    .updateTable('oauth_providers')
    .set({ subject: String(mallory.sub) })
    .where('org_id', '=', orgId)
    .execute()
  expect(code(await signIn(orgId, mallory))).toBe('CREDENTIAL_NOT_FOUND')
  await sql`update oauth_providers set subject = ${String(ann.sub)} where org_id = ${orgId}`.execute(db)
  expect((await signIn(orgId, ann)).status).toBe(200)
})

test('keeps no token in the record of a sign-in', async () => {
  const ann = createPerson()
  const { orgId } = await createAccount(ann)
  const { body } = await signIn(orgId, ann)
  expect(body.activity.intent.oauthIntent.oidcToken).toBe('')
})

// Runs last, because it moves the clock.
test('asks by email even when a proven passkey adds an identity, which its prompt does not show', async () => {
  const passkey = createAuthenticator()
  const { orgId, userId, key } = await custody.createUser({ passkeys: [passkey.register()] })
  const { body } = await custody.call('query/get_authenticators', { organizationId: orgId, userId }, key)
  custody.advance(86_400_000)
  const boundTo = body.authenticators[0].credential.publicKey
  const oidcToken = await issuer.sign({ boundTo, claims: createPerson() })
  const request = custody.activity('ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS', orgId, {
    userId,
    oauthProviders: [{ providerName: 'local', oidcToken }],
  })
  const asked = await custody.callByPasskey('submit/create_oauth_providers', request, passkey)
  expect(asked.body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_PENDING',
    confirmation: { action: 'add-provider' },
  })
})

const newKey = () => ({ apiKeyName: 'key', publicKey: createApiKeyPair().publicKey, curveType: 'API_KEY_CURVE_P256' })

function addProvider(
  orgId: string,
  key: Parameters<typeof custody.call>[2],
  oidcToken: string,
  userId: string = randomUUID(),
): Promise<Reply> {
  const oauthProviders = [{ providerName: 'local', oidcToken }]
  const request = custody.activity('ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS', orgId, { userId, oauthProviders })
  return custody.call('submit/create_oauth_providers', request, key)
}
