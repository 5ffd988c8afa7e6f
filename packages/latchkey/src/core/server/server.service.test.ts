import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createTestFrame, startTestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../../../../server/src/platform/crypto/createStamp.ts'
import { listen } from '../../../../server/src/platform/http/listen.ts'
import { verifyAccessToken } from './verifyAccessToken.ts'
import { verifyWhoami } from './verifyWhoami.ts'

const api = await startTestSignerApi()
let isDown = false
let fetches = 0
const server = await listen(
  (request, env) => {
    if (isDown) return new Response(null, { status: 500 })
    if (request.url.endsWith('jwks.json')) fetches++
    return api.app.fetch(request, env)
  },
  { port: 0 },
)
const signerApiUrl = server.url
const projectId = 'test'

afterAll(async () => {
  await server.close()
  await api.close()
})

async function signIn() {
  const email = `user-${randomUUID()}@example.com`
  const frame = await createTestFrame()
  const { json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey })
  const key = await frame.open(api.readLink(email).searchParams.get('bundle') ?? '')
  const body = JSON.stringify({ organizationId: json.orgId, audience: projectId })
  const stamped = { body, stamp: createStamp(body, key), url: `${api.custodyUrl}${custodyPaths.whoami}` }
  const { json: token } = await api.post('access-token', { stampedRequest: stamped })
  return { email, orgId: json.orgId as string, stamped, token: token.accessToken as string }
}

const user = await signIn()
const refused = { code: 'UNAUTHENTICATED' }

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part = '') {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

test('returns the user of a token, fetching the keys once', async () => {
  const claims = await verifyAccessToken({ token: user.token, projectId, signerApiUrl })
  expect(claims).toMatchObject({ aud: projectId, email: user.email })
  expect(claims.sub.startsWith(`${user.orgId}/`)).toBe(true)
  await verifyAccessToken({ token: user.token, projectId, signerApiUrl: `${signerApiUrl}/` })
  const before = fetches
  await verifyAccessToken({ token: user.token, projectId, signerApiUrl })
  expect(fetches).toBe(before)
})

test('refuses tokens of another project, and tokens outside their validity period', async () => {
  const verify = (more: Partial<verifyAccessToken.Parameters>) =>
    verifyAccessToken({ token: user.token, projectId, signerApiUrl, ...more })
  await expect(verify({ projectId: 'other' })).rejects.toMatchObject(refused)
  const { iat, exp } = await verify({})
  await expect(verify({ now: (exp + 30) * 1000 })).rejects.toMatchObject(refused)
  await expect(verify({ now: (exp + 29) * 1000 })).resolves.toBeDefined()
  await expect(verify({ now: (iat - 31) * 1000 })).rejects.toMatchObject(refused)
})

test('refuses every other algorithm, key and form', async () => {
  const [head, body = '', signature] = user.token.split('.')
  const header = decode(head)
  const { keys } = (await (await fetch(`${signerApiUrl}/signer/.well-known/jwks.json`)).json()) as {
    keys: JsonWebKey[]
  }
  const pem = createPublicKey({ key: keys[0] as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const forge = (change: object, toSignature: (signed: string) => string) => {
    const signed = `${encode({ ...header, ...change })}.${body}`
    return `${signed}.${toSignature(signed)}`
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signOther = (signed: string) =>
    sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  const forged = {
    'no algorithm': forge({ alg: 'none' }, () => ''),
    'the public key as a secret': forge({ alg: 'HS256' }, (signed) =>
      createHmac('sha256', pem).update(signed).digest('base64url'),
    ),
    'another key under a known id': forge({}, signOther),
    'an unknown key': forge({ kid: 'unknown' }, signOther),
    'another type': forge({ typ: 'JWT' }, signOther),
    'a changed claim': `${head}.${encode({ ...decode(body), sub: 'somebody' })}.${signature}`,
    'a cut signature': user.token.slice(0, -4),
    'no token': '',
    'two parts': `${head}.${body}`,
    'a megabyte': `${head}.${'A'.repeat(1_000_000)}.${signature}`,
    'text that is no base64': 'ä.ö.ü',
  }
  for (const [name, token] of Object.entries(forged))
    await expect(verifyAccessToken({ token, projectId, signerApiUrl }), name).rejects.toMatchObject(refused)
})

test('fetches no keys for unknown ids within a minute, and keeps known ones while the service is down', async () => {
  const before = fetches
  const token = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: 'new' })}.${user.token.split('.').slice(1).join('.')}`
  for (let index = 0; index < 3; index++)
    await expect(verifyAccessToken({ token, projectId, signerApiUrl })).rejects.toMatchObject(refused)
  expect(fetches).toBe(before)
  isDown = true
  try {
    await expect(verifyAccessToken({ token: user.token, projectId, signerApiUrl })).resolves.toBeDefined()
    const elsewhere = `${signerApiUrl}/elsewhere`
    await expect(verifyAccessToken({ token: user.token, projectId, signerApiUrl: elsewhere })).rejects.toMatchObject({
      code: 'HTTP_FAILED',
    })
  } finally {
    isDown = false
  }
})

test('returns the user of a stamped request until the session ends', async () => {
  const verify = (stampedRequest: object) =>
    verifyWhoami({ stampedRequest: stampedRequest as never, apiKey: testApiKey, signerApiUrl })
  expect(await verify(user.stamped)).toMatchObject({ orgId: user.orgId, email: user.email })
  await expect(verify({ ...user.stamped, url: `${api.custodyUrl}${custodyPaths.listWallets}` })).rejects.toMatchObject(
    refused,
  )
  await expect(verify({ ...user.stamped, body: `${user.stamped.body} ` })).rejects.toMatchObject(refused)
  await expect(verify({})).rejects.toMatchObject(refused)
  api.custody.advance(16 * 60_000)
  await expect(verify(user.stamped)).rejects.toMatchObject(refused)
})
