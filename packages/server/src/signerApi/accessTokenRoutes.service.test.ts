import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../platform/crypto/createStamp.ts'

const otherKey = 'other-api-key'
const api = await startTestSignerApi({
  projects: [{ id: 'other', name: 'Other', apiKey: otherKey, redirectUrls: [], allowedOrigins: [] }],
})

afterAll(() => api.close())

async function signUp() {
  const email = `user-${randomUUID()}@example.com`
  const frame = await createTestFrame()
  const { json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey })
  const key = await frame.open(api.readLink(email).searchParams.get('bundle') ?? '')
  return { email, orgId: json.orgId as string, key }
}

type Session = Awaited<ReturnType<typeof signUp>>

function stampWhoami({ orgId, key }: Session, audience?: string, path: string = custodyPaths.whoami) {
  const body = JSON.stringify({ organizationId: orgId, audience })
  return { stampedRequest: { body, stamp: createStamp(body, key), url: `https://api.turnkey.com${path}` } }
}

const asOther = { authorization: `Bearer ${otherKey}` }

function readClaims(token: string) {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

test('issues a token for the project with the proven address', async () => {
  const session = await signUp()
  const { status, json } = await api.post('access-token', stampWhoami(session, 'test'))
  expect(status).toBe(200)
  const claims = readClaims(json.accessToken)
  expect(claims).toEqual({
    iss: `urn:uuid:${api.custody.rootOrganizationId}`,
    aud: 'test',
    sub: expect.stringMatching(new RegExp(`^${session.orgId}/[0-9a-f-]{36}$`)),
    iat: claims.exp - 300,
    exp: json.expiresAtMs / 1000,
    address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    email: session.email,
  })
})

test('refuses a stamp that names no project or another one', async () => {
  const session = await signUp()
  expect(await api.post('access-token', stampWhoami(session))).toMatchObject({
    status: 400,
    json: { code: 'REQUEST_INVALID', message: expect.stringContaining('audience') },
  })
  const another = {
    status: 400,
    json: { code: 'REQUEST_INVALID', message: expect.stringContaining('another project') },
  }
  expect(await api.post('access-token', stampWhoami(session, 'other'))).toMatchObject(another)
  // If a user of both projects stamped a request for one project, a server of the other project cannot use that stamp.
  expect(await api.post('access-token', stampWhoami(session, 'test'), asOther)).toMatchObject(another)
  expect(await api.post('whoami', stampWhoami(session, 'test'), asOther)).toMatchObject(another)
  expect((await api.post('whoami', stampWhoami(session, 'test'))).status).toBe(200)
})

test('refuses forged stamps, other queries, and sessions that have ended', async () => {
  const [session, stranger] = [await signUp(), await signUp()]
  const forged = await api.post('access-token', stampWhoami({ ...session, key: stranger.key }, 'test'))
  expect(forged.status).toBe(401)
  const other = await api.post('access-token', stampWhoami(session, 'test', custodyPaths.listWallets))
  expect(other).toMatchObject({ status: 400, json: { code: 'REQUEST_INVALID' } })

  api.custody.advance(16 * 60_000)
  expect((await api.post('access-token', stampWhoami(session, 'test'))).status).toBe(401)
})

test('publishes the keys of the previous, the current and the next generation', async () => {
  const app = await startTestSignerApi({ accessTokenKey: 2 })
  try {
    const read = async (of: typeof api.app) => {
      const response = await of.request('/signer/.well-known/jwks.json', { headers: { origin: 'https://any.example' } })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      return ((await response.json()) as { keys: { kid: string; d?: string }[] }).keys
    }
    const [first, second] = [await read(api.app), await read(app.app)]
    expect([first.length, second.length]).toEqual([2, 3])
    for (const key of [...first, ...second]) expect(key.d).toBeUndefined()
    expect(new Set(second.map(({ kid }) => kid)).size).toBe(3)
  } finally {
    await app.close()
  }
})
