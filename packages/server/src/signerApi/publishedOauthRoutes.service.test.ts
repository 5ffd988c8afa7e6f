import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { startTestIssuer, toNonce } from '@latchkey/testkit/startTestIssuer'
import { afterAll, expect, test } from 'vitest'

const google = await startTestIssuer({ id: 'google' })
const acme = await startTestIssuer({ id: 'acme' })
const publishedCallbackUrl = 'http://localhost:4102/signer/v1/oauth-callback'
const forPublished = {
  ...google.provider,
  client: google.provider.client && { ...google.provider.client, publishedCallbackUrl },
}
const api = await startTestSignerApi({ project: { oidcProviders: [forPublished, acme.provider] } })
afterAll(() => Promise.all([api.close(), google.close(), acme.close()]))

type Frame = Awaited<ReturnType<typeof createTestFrame>>
type Options = {
  frame?: Frame
  from?: typeof google
  /** Frame whose key the token contains. */
  boundTo?: Frame
  state?: Record<string, unknown>
  query?: Record<string, string>
}

/** Sends a user to the provider as Account Kit does, and returns with the code. */
async function visit({ frame, from = google, boundTo, state, query }: Options = {}) {
  const target = frame ?? (await createTestFrame())
  const { targetPublicKey } = target
  const nonce = toNonce((boundTo ?? target).targetPublicKey)
  const { codeChallenge, requestKey } = (await api.post('prepare-oauth', { nonce })).json
  const claims = { sub: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true }
  const given = {
    authProviderId: from.provider.id,
    requestKey,
    turnkeyPublicKey: targetPublicKey,
    expirationSeconds: 900,
    openerOrigin: testOrigin,
    ...state,
  }
  const parameters = {
    code: from.grant({ codeChallenge, nonce, claims }),
    iss: from.provider.issuer,
    state: Buffer.from(JSON.stringify(given)).toString('base64url'),
    ...query,
  }
  return ask(parameters)
}

async function ask(parameters: Record<string, string>) {
  const response = await api.app.request(`/signer/v1/oauth-callback?${new URLSearchParams(parameters)}`)
  const html = await response.text()
  const json = /id="data">(.*?)<\/script>/.exec(html)?.[1]
  return { parameters, response, html, data: JSON.parse(json ?? 'null') }
}

test('lists a provider as Account Kit looks it up, known or custom', async () => {
  const { json } = await api.post('prepare-oauth', { nonce: toNonce((await createTestFrame()).targetPublicKey) })
  const listed = json.authProviders.map(({ id, isCustomProvider }: Record<string, unknown>) => [id, isCustomProvider])
  expect(listed).toEqual([
    ['google', true],
    ['google', undefined],
    ['acme', true],
  ])
})

test('hands a session to the page that opened the window', async () => {
  const frame = await createTestFrame()
  const { response, data } = await visit({ frame })
  expect(data).toMatchObject({
    origin: testOrigin,
    message: { alchemyStatus: 'SUCCESS', alchemyIsSignup: true, alchemyAuthProvider: 'google' },
  })
  const key = await frame.open(data.message.alchemyBundle)
  const { body } = await api.custody.call('query/whoami', { organizationId: data.message.alchemyOrgId }, key)
  expect(body).toMatchObject({ organizationId: data.message.alchemyOrgId })
  const headers = Object.fromEntries(response.headers)
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; base-uri 'none'/)
})

test('hands a session to the page that the user left, in its URL', async () => {
  const { response } = await visit({ state: { openerOrigin: undefined, redirectUrl: `${testOrigin}/wallet?a=1` } })
  expect(response.status).toBe(302)
  const url = new URL(response.headers.get('location') ?? '')
  expect(url.origin + url.pathname).toBe(`${testOrigin}/wallet`)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    a: '1',
    'aa-is-signup': 'true',
    'alchemy-bundle': expect.any(String),
    'alchemy-org-id': expect.any(String),
    'alchemy-id-token': expect.any(String),
  })
})

test('returns only the identity token if asked', async () => {
  const { data } = await visit({ state: { fetchIdTokenOnly: true } })
  expect(data.message).toEqual({
    alchemyStatus: 'FETCHED_ID_TOKEN_ONLY',
    alchemyAuthProvider: 'google',
    alchemyIdToken: expect.any(String),
  })
})

test.each<[string, Record<string, unknown>]>([
  ['a page of another origin', { openerOrigin: 'https://evil.example' }],
  ['a redirect to another origin', { redirectUrl: 'https://evil.example/' }],
  ['a redirect that only looks allowed', { redirectUrl: `${testOrigin}@evil.example/` }],
  ['a script as a redirect', { redirectUrl: 'javascript:alert(1)' }],
  ['no page at all', { openerOrigin: undefined }],
  ['an unknown sign-in', { requestKey: 'x' }],
  ['a key that is no point', { turnkeyPublicKey: `04${'00'.repeat(64)}` }],
])('hands nothing to %s', async (_, state) => {
  const { response, html, data } = await visit({ state })
  expect([response.status, data]).toEqual([200, {}])
  expect(html).toContain('This sign-in has expired.')
})

test('tells the page why a sign-in failed', async () => {
  const read = async (options: Options) => (await visit(options)).data.message
  expect(await read({ query: { error: 'access_denied' } })).toEqual({ alchemyError: 'The sign-in was cancelled.' })
  expect(await read({ query: { error: '</script><script>alert(1)' } })).toEqual({
    alchemyError: 'The provider refused the sign-in.',
  })
  expect(await read({ from: acme })).toEqual({ alchemyError: expect.stringContaining('no identity provider "acme"') })
  expect(await read({ query: { iss: 'https://evil.example' } })).toEqual({
    alchemyError: expect.stringContaining('Another identity provider'),
  })
  // A token for the key of another frame.
  expect(await read({ boundTo: await createTestFrame() })).toEqual({ alchemyError: expect.stringContaining('nonce') })
  const { parameters } = await visit()
  expect((await ask(parameters)).data.message).toEqual({ alchemyError: expect.any(String) })
})
