import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi } from '@latchkey/testkit/signerApi'
import { startTestIssuer, toNonce } from '@latchkey/testkit/startTestIssuer'
import { afterAll, expect, test } from 'vitest'

const issuer = await startTestIssuer({ id: 'acme', name: 'Acme' })
const careful = await startTestIssuer({ id: 'careful', provesEmail: false })
const own = await startTestIssuer({ id: 'own', client: undefined })
const strict = { parentCredentials: 'refused', confirmations: 'mail' } as const
const api = await startTestSignerApi({
  project: { ...strict, oidcProviders: [issuer.provider, careful.provider, own.provider] },
  projects: [
    {
      ...strict,
      id: 'other',
      name: 'Other',
      apiKey: 'other-api-key',
      redirectUrls: [],
      allowedOrigins: ['https://other.example'],
      organizationId: randomUUID(),
    },
  ],
})
afterAll(() => Promise.all([api.close(), issuer.close(), careful.close(), own.close()]))

type Claims = Record<string, unknown>
type From = { from?: typeof issuer; claims?: Claims; frame?: Awaited<ReturnType<typeof createTestFrame>> }

async function prepare(targetPublicKey: string, headers?: Record<string, string>) {
  return (await api.post('prepare-oauth', { nonce: toNonce(targetPublicKey) }, headers)).json
}

async function authorize({ from = issuer, claims = { sub: randomUUID() }, frame }: From = {}) {
  const { targetPublicKey } = frame ?? (await createTestFrame())
  const { codeChallenge, requestKey } = await prepare(targetPublicKey)
  const code = from.grant({ codeChallenge, nonce: toNonce(targetPublicKey), claims })
  return { requestKey, providerId: from.provider.id, code, iss: from.provider.issuer, targetPublicKey }
}

const signIn = async (options?: From) => api.post('redeem-oauth', await authorize(options))

async function whoami(frame: Awaited<ReturnType<typeof createTestFrame>>, { credentialBundle, orgId }: Claims) {
  const key = await frame.open(String(credentialBundle))
  return (await api.custody.call('query/whoami', { organizationId: orgId }, key)).body
}

const createAddress = () => `${randomUUID()}@example.com`

test('names the providers of the project, without secrets', async () => {
  const { targetPublicKey } = await createTestFrame()
  const { codeChallenge, requestKey, ...rest } = await prepare(targetPublicKey)
  expect(codeChallenge).toMatch(/^[\w-]{43}$/)
  expect(requestKey).not.toContain(codeChallenge)
  expect(rest).toEqual({
    callbackUrl: 'http://localhost:4104/oauth/',
    authProviders: [issuer, careful].map(({ provider: { id, name, client } }) => ({
      id,
      isCustomProvider: true,
      name,
      clientId: client?.id,
      authEndpoint: client?.authorizationUrl,
      scope: 'openid email',
    })),
  })
  const other = { authorization: 'Bearer other-api-key' }
  for (const path of ['prepare-oauth', 'auth-jwt'])
    expect((await api.post(path, {}, other)).json).toMatchObject({
      code: 'METHOD_NOT_SUPPORTED',
      error: expect.stringContaining('no identity providers'),
    })
})

test('signs up, and then in to the same account', async () => {
  const frame = await createTestFrame()
  const email = createAddress()
  const claims = { sub: randomUUID(), email, email_verified: true }
  const first = await signIn({ claims, frame })
  expect(first).toMatchObject({ status: 200, json: { isSignUp: true } })
  expect(await whoami(frame, first.json)).toMatchObject({ organizationId: first.json.orgId })
  const again = await signIn({ claims, frame })
  expect(again.json).toMatchObject({ orgId: first.json.orgId, isSignUp: false })
  // The token proved the address, so an email reaches the same account.
  const { json } = await api.post('lookup', { email })
  expect(json).toEqual({ orgId: first.json.orgId })
})

test('links the account of an address that the token proves, and no other', async () => {
  const email = createAddress()
  const { orgId } = (await signIn({ claims: { sub: randomUUID(), email, email_verified: true } })).json
  const linked = await signIn({ claims: { sub: randomUUID(), email, email_verified: true } })
  expect(linked.json).toMatchObject({ orgId, isSignUp: false })
  for (const options of [
    { claims: { sub: randomUUID(), email, email_verified: false } },
    { from: careful, claims: { sub: randomUUID(), email, email_verified: true } },
  ]) {
    const separate = await signIn(options)
    expect(separate.json).toMatchObject({ isSignUp: true })
    expect(separate.json.orgId).not.toBe(orgId)
  }
})

test('sends a person whose address is not proven to sign in by email first', async () => {
  const known = createAddress()
  await signIn({ claims: { sub: randomUUID(), email: known, email_verified: true } })
  const ask = async (options: From) =>
    (await api.post('redeem-oauth', { ...(await authorize(options)), asksToLink: true })).json
  // The response does not reveal whether the address has an account.
  for (const email of [known, createAddress()]) {
    const claims = { sub: randomUUID(), email }
    expect(await ask({ claims: { ...claims, email_verified: false } })).toEqual({ linkEmail: email })
    expect(await ask({ from: careful, claims: { ...claims, email_verified: true } })).toEqual({ linkEmail: email })
  }
  for (const email of [undefined, 'x'])
    expect(await ask({ claims: { sub: 'nobody', email } })).toEqual({ linkEmail: '' })
  // A client that does not request a link receives a new account. Later, the same identity signs in to that account.
  const claims = { sub: randomUUID(), email: known, email_verified: false }
  expect((await signIn({ claims })).json).toMatchObject({ isSignUp: true })
  expect(await ask({ claims })).toMatchObject({ isSignUp: false })
})

test('names an unproven address only if it has an account, where nobody confirms by email', async () => {
  for (const hidesAccounts of [false, true]) {
    const project = { parentCredentials: 'refused', confirmations: 'none', oidcProviders: [issuer.provider] } as const
    const other = await startTestSignerApi({ project: { ...project, hidesAccounts } })
    try {
      const { targetPublicKey } = await createTestFrame()
      const ask = async (claims: Claims) => {
        const nonce = toNonce(targetPublicKey)
        const { codeChallenge, requestKey } = (await other.post('prepare-oauth', { nonce })).json
        const code = issuer.grant({ codeChallenge, nonce, claims: { sub: randomUUID(), ...claims } })
        const body = { requestKey, providerId: 'acme', code, targetPublicKey, asksToLink: true }
        return (await other.post('redeem-oauth', body)).json
      }
      const email = createAddress()
      await ask({ email, email_verified: true })
      expect(await ask({ email })).toEqual(
        hidesAccounts ? expect.objectContaining({ isSignUp: true }) : { linkEmail: email },
      )
      expect(await ask({ email: createAddress() })).toMatchObject({ isSignUp: true })
    } finally {
      await other.close()
    }
  }
})

test('gives two requests of a new person at once one account', async () => {
  const claims = { sub: randomUUID() }
  const [one, other] = await Promise.all([signIn({ claims }), signIn({ claims })])
  expect([one.status, other.status]).toEqual([200, 200])
  expect(one.json.orgId).toBe(other.json.orgId)
})

test('gives the token of a code to the user who adds the provider, and signs nobody in', async () => {
  const { targetPublicKey: _, ...body } = await authorize({ claims: { sub: 'somebody new' } })
  const { status, json } = await api.post('fetch-id-token', body)
  expect(status).toBe(200)
  expect(Object.keys(json)).toEqual(['idToken'])
  const claims = JSON.parse(Buffer.from(json.idToken.split('.')[1], 'base64url').toString())
  expect(claims).toMatchObject({ sub: 'somebody new', nonce: toNonce(_) })
  const refusal = { status: 400, json: { code: 'OIDC_TOKEN_INVALID' } }
  expect(await api.post('fetch-id-token', body)).toMatchObject(refusal)
  const other = { authorization: 'Bearer other-api-key' }
  expect(await api.post('fetch-id-token', await authorize(), other)).toMatchObject(refusal)
})

test('redeems a code once, for the request and the frame that asked', async () => {
  const body = await authorize()
  expect((await api.post('redeem-oauth', body)).status).toBe(200)
  const refusal = { status: 400, json: { code: 'OIDC_TOKEN_INVALID' } }
  expect(await api.post('redeem-oauth', body)).toMatchObject(refusal)
  const { targetPublicKey } = await createTestFrame()
  // Refuses another frame's key, another request's secret, another provider's issuer or endpoint, and a changed
  // request.
  expect(await api.post('redeem-oauth', { ...(await authorize()), targetPublicKey })).toMatchObject(refusal)
  const { requestKey } = await prepare(targetPublicKey)
  expect(await api.post('redeem-oauth', { ...(await authorize()), requestKey })).toMatchObject(refusal)
  expect(await api.post('redeem-oauth', { ...(await authorize()), iss: careful.provider.issuer })).toMatchObject(
    refusal,
  )
  expect(
    await api.post('redeem-oauth', { ...(await authorize()), providerId: 'careful', iss: undefined }),
  ).toMatchObject(refusal)
  const changed = await authorize()
  expect(await api.post('redeem-oauth', { ...changed, requestKey: changed.requestKey.slice(0, -2) })).toMatchObject(
    refusal,
  )
  expect(await api.post('redeem-oauth', await authorize(), { authorization: 'Bearer other-api-key' })).toMatchObject(
    refusal,
  )
  expect(await api.post('redeem-oauth', { ...(await authorize()), providerId: 'unknown' })).toMatchObject({
    status: 400,
    json: { code: 'METHOD_NOT_SUPPORTED' },
  })
})

test('refuses an expired request', async () => {
  const body = await authorize()
  const now = Date.now() + 600_001
  const late = await startTestSignerApi({ now: () => now })
  try {
    expect(await late.post('redeem-oauth', body)).toMatchObject({ status: 400, json: { code: 'OIDC_TOKEN_INVALID' } })
  } finally {
    await late.close()
  }
})

test('reports a provider that fails, without the code', async () => {
  const body = await authorize()
  for (const [status, text] of [
    [500, '{}'],
    [200, 'x'],
    [200, '{}'],
    [302, ''],
  ] as const) {
    issuer.answerBy((_request, response) => response.writeHead(status, { location: 'http://localhost/' }).end(text))
    const { status: answered, json } = await api.post('redeem-oauth', body)
    expect(answered).toBe(502)
    expect(JSON.stringify(json)).not.toContain(body.code)
  }
  issuer.answerBy(undefined)
})

test("signs in by tokens of an app's own issuer, and only of that", async () => {
  const frame = await createTestFrame()
  const { targetPublicKey } = frame
  const claims = { sub: randomUUID() }
  const post = async (from: typeof issuer, boundTo = targetPublicKey) =>
    api.post('auth-jwt', { jwt: await from.sign({ boundTo, claims }), targetPublicKey })
  const first = await post(own)
  expect(first).toMatchObject({ status: 200, json: { isSignUp: true } })
  expect(await whoami(frame, first.json)).toMatchObject({ organizationId: first.json.orgId })
  expect(await post(own)).toMatchObject({ json: { orgId: first.json.orgId, isSignUp: false } })
  const stolen = (await createTestFrame()).targetPublicKey
  expect(await post(own, stolen)).toMatchObject({ status: 400, json: { code: 'OIDC_TOKEN_INVALID' } })
  expect(await api.post('auth-jwt', { jwt: 'x', targetPublicKey })).toMatchObject({ status: 400 })
  expect(await api.post('auth-jwt', { jwt: 'x', targetPublicKey, authProvider: 'acme' })).toMatchObject({
    json: { code: 'METHOD_NOT_SUPPORTED' },
  })
})
