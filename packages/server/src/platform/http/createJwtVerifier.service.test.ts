import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { createJwtVerifier, type JwtIssuer } from './createJwtVerifier.ts'
import { listen } from './listen.ts'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>

let served: unknown
let fetches = 0

const keys = await generateKeyPair('ES256')
const jwks = await createKeySet(keys, 'k1')
const folder = mkdtempSync(join(tmpdir(), 'latchkey-jwks-'))
const server = await listen(
  () => {
    fetches++
    return served ? Response.json(served) : new Response('down', { status: 500 })
  },
  { port: 0 },
)
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

async function createKeySet({ publicKey }: Keys, kid: string): Promise<JSONWebKeySet> {
  return { keys: [{ ...(await exportJWK(publicKey)), kid }] }
}

const issuer = (changes: Partial<JwtIssuer> = {}): JwtIssuer => ({
  projectId: 'shop',
  issuer: 'https://id.example',
  audience: 'wallet',
  algorithms: ['ES256'],
  keys: { jwks },
  ...changes,
})

function sign(
  claims: { iss?: string; aud?: string | string[]; exp?: string | null; nbf?: string } = {},
  by = keys,
  kid = 'k1',
) {
  const token = new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(claims.iss ?? 'https://id.example')
    .setAudience(claims.aud ?? 'wallet')
  if (claims.exp !== null) token.setExpirationTime(claims.exp ?? '5m')
  if (claims.nbf) token.setNotBefore(claims.nbf)
  return token.sign(by.privateKey)
}

test('accepts issuers and projects by their audience', async () => {
  const verify = createJwtVerifier([
    issuer(),
    issuer({ projectId: 'bank', audience: 'bank' }),
    issuer({ projectId: 'other', issuer: 'https://other.example' }),
  ])
  expect(await verify(await sign())).toBe('shop')
  expect(await verify(await sign({ aud: ['x', 'bank'] }))).toBe('bank')
  expect(await verify(await sign({ iss: 'https://other.example' }))).toBe('other')
})

test('refuses another issuer, audience, key or time', async () => {
  const verify = createJwtVerifier([issuer()])
  const stranger = await generateKeyPair('ES256')
  for (const token of [
    await sign({ iss: 'https://id.example/' }),
    await sign({ aud: 'bank' }),
    await sign({}, stranger),
    await sign({ exp: '-1m' }),
    await sign({ exp: null }),
    await sign({ nbf: '5m' }),
    `${await sign()}x`,
    'a.b.c',
    '',
  ])
    expect(await verify(token), token).toBeNull()
})

test('refuses unsigned tokens, other algorithms and the public key as a secret', async () => {
  const verify = createJwtVerifier([issuer()])
  const claims = { iss: 'https://id.example', aud: 'wallet', exp: Math.floor(Date.now() / 1000) + 300 }
  const unsigned = new UnsecuredJWT(claims).encode()
  const rsa = await generateKeyPair('RS256')
  const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(rsa.privateKey)
  const secret = new TextEncoder().encode(JSON.stringify(jwks.keys[0]))
  const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret)
  for (const token of [unsigned, foreign, shared]) expect(await verify(token)).toBeNull()
  for (const algorithms of [['none'], ['HS256'], [], ['ES256', 'none']])
    expect(() => createJwtVerifier([issuer({ algorithms: algorithms as never })])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('algorithms') }),
    )
})

test('refuses other token types of the same issuer', async () => {
  const verify = createJwtVerifier([issuer({ type: 'at+jwt' })])
  const typed = (typ: string) =>
    new SignJWT({ iss: 'https://id.example', aud: 'wallet' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ })
      .setExpirationTime('5m')
      .sign(keys.privateKey)
  for (const typ of ['at+jwt', 'application/at+jwt']) expect(await verify(await typed(typ))).toBe('shop')
  for (const token of [await typed('JWT'), await typed('id+jwt'), await sign()]) expect(await verify(token)).toBeNull()
})

test('reads keys from a file', async () => {
  const file = join(folder, 'jwks.json')
  writeFileSync(file, JSON.stringify(jwks))
  expect(await createJwtVerifier([issuer({ keys: { file } })])(await sign())).toBe('shop')
  for (const content of ['', '{}', '{"keys":[]}', '[]']) {
    writeFileSync(file, content)
    expect(() => createJwtVerifier([issuer({ keys: { file } })])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
  expect(() => createJwtVerifier([issuer({ keys: { file: join(folder, 'none') } })])).toThrow('JSON Web Key Set')
})

test('fetches keys from a URL once', async () => {
  const verify = createJwtVerifier([issuer({ keys: { url: `${server.url}/jwks` } })])
  served = jwks
  fetches = 0
  for (let count = 0; count < 3; count++) expect(await verify(await sign())).toBe('shop')
  served = undefined
  expect(await verify(await sign())).toBe('shop')
  expect(fetches).toBe(1)
  // An unknown key does not trigger further fetches.
  for (let count = 0; count < 3; count++) expect(await verify(await sign({}, keys, 'k2'))).toBeNull()
  expect(fetches).toBe(1)
})

test('reports malformed keys as an outage', async () => {
  for (const response of [undefined, {}, { keys: [] }, { keys: [7] }, 'keys']) {
    served = response
    const verify = createJwtVerifier([issuer({ keys: { url: `${server.url}/jwks` } })])
    await expect(verify(await sign()), JSON.stringify(response)).rejects.toMatchObject({
      code: 'NETWORK_UNREACHABLE',
      status: 502,
    })
  }
})

test('reports an unreachable key server and refuses an unsafe URL', async () => {
  const verify = createJwtVerifier([issuer({ keys: { url: 'http://127.0.0.1:1/jwks' } })])
  await expect(verify(await sign())).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE', status: 502 })
  for (const url of ['http://id.example/jwks', 'file:///etc/passwd', 'jwks'])
    expect(() => createJwtVerifier([issuer({ keys: { url } })])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
})
