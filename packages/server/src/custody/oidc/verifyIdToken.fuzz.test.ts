import { createHash, randomUUID } from 'node:crypto'
import { startTestIssuer } from '@latchkey/testkit/startTestIssuer'
import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { readProjects } from '../organizations/trustedProjects.ts'
import { fetchKeySet } from '../outbound.ts'
import { createKeySets } from './createKeySets.ts'
import { verifyIdToken } from './verifyIdToken.ts'

/** Each test tries half of `FUZZ_INPUTS`. Another `LATCHKEY_SEED` tries other inputs. */
const options = { numRuns: Number(process.env.FUZZ_INPUTS ?? 100_000) / 2, seed: Number(process.env.LATCHKEY_SEED) }

const issuer = await startTestIssuer()
const careful = await startTestIssuer({ id: 'careful', provesEmail: false })
afterAll(() => Promise.all([issuer.close(), careful.close()]))
const rootOrgId = randomUUID()
const project = { id: 'test', name: 'Test', apiKey: 'test-api-key', redirectUrls: [], allowedOrigins: [] }
const projects = readProjects([
  { ...project, organizationId: rootOrgId, oidcProviders: [issuer.provider, careful.provider] },
])
const context = {
  projects,
  rootOrganizationId: rootOrgId,
  keySets: createKeySets({ fetch: (url) => fetchKeySet(projects, url) }),
}
const privateKey = p256.utils.randomSecretKey()
const spellings = [true, false].map((short) => Buffer.from(p256.getPublicKey(privateKey, short)).toString('hex'))
const [publicKey = ''] = spellings
const nonces = spellings.map((text) => createHash('sha256').update(text).digest('hex'))

/** Returns whether the token is accepted. Anything but a refusal of the token fails the test. */
async function isAccepted(token: string): Promise<boolean> {
  try {
    await verifyIdToken(context, { token, rootOrgId, publicKey })
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'OIDC_TOKEN_INVALID', status: 400 })
    return false
  }
}

const decode = (token: string) => token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'))

test('accepts no token whose bytes were changed', { timeout: 600_000 }, async () => {
  const token = await issuer.sign({ boundTo: publicKey, claims: { email: 'ann@example.com', email_verified: true } })
  expect(await isAccepted(token)).toBe(true)
  const parts = token.split('.')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \0é'
  const change = fc.oneof(
    // Replaces characters, removes or repeats a piece, or changes the order or number of parts.
    fc
      .array(fc.tuple(fc.nat(token.length - 1), fc.nat(alphabet.length - 1)), { minLength: 1, maxLength: 4 })
      .map((changes) =>
        changes.reduce((text, [at, by]) => text.slice(0, at) + alphabet[by] + text.slice(at + 1), token),
      ),
    fc.tuple(fc.nat(token.length), fc.nat(token.length)).map(([from, to]) => token.slice(0, from) + token.slice(to)),
    fc.array(fc.constantFrom(...parts, '', 'e30', 'bnVsbA'), { maxLength: 6 }).map((some) => some.join('.')),
    fc.tuple(fc.jsonValue(), fc.jsonValue()).map((some) => {
      const texts = some.map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))
      return [...texts, parts[2]].join('.')
    }),
  )
  const property = fc.asyncProperty(change, async (changed) => {
    // Several base64url texts can decode to the same bytes.
    if (await isAccepted(changed)) expect(decode(changed)).toEqual(decode(token))
  })
  await fc.assert(property, options)
})

/** Generates mostly valid values, so that some tokens are accepted, and otherwise near misses or arbitrary values. */
const mostly = (right: unknown, ...others: unknown[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(right) },
    { weight: 2, arbitrary: fc.constantFrom(undefined, null, '', [], {}, ...others) },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
const now = Math.floor(Date.now() / 1000)
const { clientId } = issuer
const claims = fc.record({
  iss: mostly(issuer.provider.issuer, `${issuer.provider.issuer}/`, careful.provider.issuer, [issuer.provider.issuer]),
  aud: mostly(clientId, [clientId], [clientId, 'other'], ['other'], careful.clientId, [careful.clientId, clientId]),
  azp: mostly(clientId, 'other'),
  sub: mostly('ann', 'x'.repeat(255), 'x'.repeat(256), 1, ['ann']),
  exp: mostly(now + 86_400, now - 120, String(now + 86_400), 1e300, -1),
  iat: mostly(now, now + 86_400, String(now), -1),
  nbf: mostly(undefined, now + 86_400, now - 10),
  nonce: mostly(nonces[0], nonces[1], nonces[0]?.toUpperCase(), nonces[0]?.slice(1), '0'.repeat(64), [nonces[0]]),
  tknonce: mostly(undefined, nonces[1], '0'.repeat(64)),
  email: mostly('ann@example.com', 'x', 'x'.repeat(300)),
})
type Claims = Record<string, unknown>

/** Implements OpenID Connect Core § 3.1.3.7 and the key binding a second time, independently. */
function isRight({ iss, aud, azp, sub, exp, iat, nbf, nonce, tknonce }: Claims): boolean {
  const audiences = Array.isArray(aud) ? aud : [aud]
  const isOurs = audiences.includes(clientId) && (audiences.length === 1 || azp === clientId)
  const isTimely = Number(exp) > now - 70 && Number(iat) < now + 700 && (nbf === undefined || Number(nbf) < now + 700)
  const isTyped = [exp, iat].every((time) => typeof time === 'number') && typeof sub === 'string'
  const isBound = [nonce, tknonce].some((value) => nonces.some((right) => String(value).toLowerCase() === right))
  return iss === issuer.provider.issuer && isOurs && isTyped && isTimely && sub !== '' && isBound
}

test('accepts no claims but those of this client, person, time and key', { timeout: 600_000 }, async () => {
  let accepted = 0
  const property = fc.asyncProperty(claims, async (given) => {
    const token = await issuer.sign({ claims: given }).catch(() => 'a.b.c')
    if (!(await isAccepted(token))) return
    accepted++
    expect(given).toSatisfy(isRight)
  })
  await fc.assert(property, options)
  expect(accepted).toBeGreaterThan(options.numRuns / 200)
})
