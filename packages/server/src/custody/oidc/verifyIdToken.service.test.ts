import { createPublicKey, createSecretKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { startTestIssuer } from '@latchkey/testkit/startTestIssuer'
import { p256 } from '@noble/curves/nist.js'
import { UnsecuredJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { readProjects } from '../organizations/trustedProjects.ts'
import { fetchKeySet } from '../outbound.ts'
import { createKeySets } from './createKeySets.ts'
import { verifyIdToken } from './verifyIdToken.ts'

const issuer = await startTestIssuer()
const careful = await startTestIssuer({ id: 'careful', provesEmail: false })
const stranger = await startTestIssuer()
const rootOrgId = randomUUID()
const other = randomUUID()
const project = { name: 'Test', apiKey: 'test-api-key', redirectUrls: [], allowedOrigins: [] }
const projects = readProjects([
  { id: 'test', ...project, organizationId: rootOrgId, oidcProviders: [issuer.provider, careful.provider] },
  { id: 'other', ...project, organizationId: other },
])
const context = {
  projects,
  rootOrganizationId: rootOrgId,
  keySets: createKeySets({ fetch: (url) => fetchKeySet(projects, url) }),
}
afterAll(() => Promise.all([issuer.close(), careful.close(), stranger.close()]))

const privateKey = p256.utils.randomSecretKey()
const hex = (isCompressed: boolean) => Buffer.from(p256.getPublicKey(privateKey, isCompressed)).toString('hex')
const frameKey = hex(false)
const verify = (token: string, publicKey: string | undefined = frameKey, organization = rootOrgId) =>
  verifyIdToken(context, { token, rootOrgId: organization, publicKey })
const seconds = () => Math.floor(Date.now() / 1000)
const refusal = { code: 'OIDC_TOKEN_INVALID', status: 400 }

test('binds a token to one key, in either spelling', async () => {
  const claims = { sub: 'ann', email: 'Ann@Example.com', email_verified: true }
  const identity = { issuer: issuer.provider.issuer, audience: issuer.clientId, subject: 'ann' }
  for (const boundTo of [hex(true), hex(false)])
    for (const publicKey of [hex(true), hex(false)])
      expect(await verify(await issuer.sign({ boundTo, claims }), publicKey)).toMatchObject(identity)
  const token = await issuer.sign({ claims: { ...claims, tknonce: '0'.repeat(64) }, boundTo: frameKey })
  expect(await verify(token)).toMatchObject(identity)
  const stolen = Buffer.from(p256.getPublicKey(p256.utils.randomSecretKey(), false)).toString('hex')
  await expect(verify(token, stolen)).rejects.toMatchObject(refusal)
  // Digest of the bytes, digest of the upper-case hex, and an empty nonce.
  for (const nonce of ['24f5c37f', hex(false), ''])
    await expect(verify(await issuer.sign({ claims: { ...claims, nonce } }))).rejects.toMatchObject(refusal)
  await expect(verify(await issuer.sign({ claims }))).rejects.toMatchObject(refusal)
  await expect(verifyIdToken(context, { token: await issuer.sign({ claims }), rootOrgId })).rejects.toMatchObject(
    refusal,
  )
})

test('reads a proven address only from providers that prove addresses', async () => {
  const read = async (from: typeof issuer, claims: object) =>
    (await verify(await from.sign({ boundTo: frameKey, claims: { ...claims } }))).email
  const email = 'ann@example.com'
  expect(await read(issuer, { email, email_verified: true })).toBe(email)
  expect(await read(issuer, { email, email_verified: 'true' })).toBe(email)
  for (const claims of [{ email }, { email, email_verified: false }, { email: 'x', email_verified: true }, {}])
    expect(await read(issuer, claims)).toBeUndefined()
  expect(await read(careful, { email, email_verified: true })).toBeUndefined()
  // Another project of the same parent is stricter.
  const strict = { id: 'strict', ...project, organizationId: rootOrgId }
  const stricter = readProjects([{ ...strict, oidcProviders: [{ ...issuer.provider, provesEmail: false }] }])
  const token = await issuer.sign({ boundTo: frameKey, claims: { email, email_verified: true } })
  const both = { ...context, projects: [...projects, ...stricter] }
  expect((await verifyIdToken(both, { token, rootOrgId, publicKey: frameKey })).email).toBeUndefined()
})

test('refuses foreign issuers, clients and parents', async () => {
  const sign = (claims: Record<string, unknown>) => issuer.sign({ boundTo: frameKey, claims })
  for (const claims of [
    { iss: stranger.provider.issuer },
    // Issuer mix-up: another trusted provider made the signature.
    { iss: careful.provider.issuer },
    { iss: careful.provider.issuer, aud: careful.clientId },
    { iss: `${issuer.provider.issuer}/` },
    { aud: 'other' },
    { aud: careful.clientId },
    { aud: [issuer.clientId, 'other'] },
    { aud: [issuer.clientId, 'other'], azp: 'other' },
    { aud: [] },
    { sub: '' },
    { sub: 'x'.repeat(256) },
    { sub: 1 },
  ])
    await expect(verify(await sign(claims)), JSON.stringify(claims)).rejects.toMatchObject(refusal)
  await expect(verify(await stranger.sign({ boundTo: frameKey }))).rejects.toMatchObject(refusal)
  await expect(verify(await issuer.sign({ boundTo: frameKey }), frameKey, other)).rejects.toMatchObject(refusal)
  const both = await sign({ aud: [issuer.clientId, 'other'], azp: issuer.clientId })
  expect(await verify(both)).toMatchObject({ audience: issuer.clientId })
})

test('refuses tokens that are expired, from the future, or endless', async () => {
  const now = seconds()
  for (const claims of [
    { exp: now - 61 },
    { exp: undefined },
    { iat: undefined },
    { iat: now + 120 },
    { nbf: now + 120 },
    { exp: 'soon' },
  ])
    await expect(
      verify(await issuer.sign({ boundTo: frameKey, claims })),
      JSON.stringify(claims),
    ).rejects.toMatchObject(refusal)
})

test('refuses other algorithms, keys and shapes', async () => {
  const good = await issuer.sign({ boundTo: frameKey })
  const [header = '', payload = '', signature = ''] = good.split('.')
  const usual = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const unsigned = new UnsecuredJWT(usual).encode()
  // HS256 with the text of the public key as its secret (RFC 8725 § 2.1).
  const pem = createSecretKey(Buffer.from(issuer.readPublicKey()))
  const confused = await issuer.sign({ claims: usual, header: { alg: 'HS256' }, key: pem })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const embedded = createPublicKey(foreign.privateKey).export({ format: 'jwk' })
  for (const token of [
    unsigned,
    `${unsigned}x`,
    confused,
    await issuer.sign({ claims: usual, header: { alg: 'RS256' }, key: rsa.privateKey }),
    await issuer.sign({ claims: usual, key: foreign.privateKey }),
    await issuer.sign({ claims: usual, header: { jwk: embedded, kid: 'mine' }, key: foreign.privateKey }),
    await issuer.sign({ claims: usual, header: { crit: ['x'], x: 1 } }).catch(() => 'a.b.c'),
    `${header}.${payload}.`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${header}.${Buffer.from('[]').toString('base64url')}.${signature}`,
    `${header}.e30.${signature}`,
    '..',
    '',
    'x'.repeat(1_000_000),
  ])
    await expect(verify(token), token.slice(0, 80)).rejects.toMatchObject(refusal)
  expect(await verify(good)).toMatchObject({ audience: issuer.clientId })
})
