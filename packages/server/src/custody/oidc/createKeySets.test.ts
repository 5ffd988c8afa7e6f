import { generateKeyPairSync } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { createKeySets } from './createKeySets.ts'

const url = 'https://issuer.example/keys'
const createKey = (kid: string) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })
type Key = ReturnType<typeof createKey>

const encode = (keys: readonly Key[]) =>
  new TextEncoder().encode(
    JSON.stringify({ keys: keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid })) }),
  )

function setKeys(first: Key) {
  let [now, fetches] = [0, 0]
  let answer: () => Promise<Uint8Array> = async () => encode([first])
  const keySets = createKeySets({
    now: () => now,
    fetch: () => {
      fetches++
      return answer()
    },
  })
  return {
    countFetches: () => fetches,
    wait(ms: number) {
      now += ms
    },
    answerBy(next: typeof answer) {
      answer = next
    },
    async verify({ kid, privateKey }: Key) {
      const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
      return jwtVerify(token, keySets(url)).then(
        () => 'verified',
        (error: { code?: string }) => error.code,
      )
    },
  }
}

const [old, next, forged] = [createKey('old'), createKey('next'), createKey('forged')]

test('fetches a set once for many tokens', async () => {
  const { verify, countFetches } = setKeys(old)
  expect(await Promise.all([verify(old), verify(old), verify(old)])).toEqual(['verified', 'verified', 'verified'])
  expect(await verify(old)).toBe('verified')
  expect(countFetches()).toBe(1)
})

test('asks for an unknown key once a minute', async () => {
  const { verify, countFetches, wait, answerBy } = setKeys(old)
  expect(await verify(old)).toBe('verified')
  for (let tries = 0; tries < 20; tries++) expect(await verify(forged)).toBe('ERR_JWKS_NO_MATCHING_KEY')
  expect(countFetches()).toBe(1)
  wait(60_000)
  for (let tries = 0; tries < 20; tries++) expect(await verify(forged)).toBe('ERR_JWKS_NO_MATCHING_KEY')
  expect(countFetches()).toBe(2)
  answerBy(async () => encode([next]))
  wait(60_000)
  expect(await verify(next)).toBe('verified')
  expect(await verify(old)).toBe('ERR_JWKS_NO_MATCHING_KEY')
  expect(countFetches()).toBe(3)
})

test('fetches again after ten minutes, so a withdrawn key ends', async () => {
  const { verify, wait, answerBy } = setKeys(old)
  expect(await verify(old)).toBe('verified')
  answerBy(async () => encode([next]))
  wait(600_001)
  expect(await verify(old)).toBe('ERR_JWKS_NO_MATCHING_KEY')
})

test('uses known keys for a day while the provider is dead, and refuses at once without any', async () => {
  const { verify, countFetches, wait, answerBy } = setKeys(old)
  const die = () => Promise.reject(new TypeError('dead'))
  answerBy(die)
  for (let tries = 0; tries < 10; tries++) expect(await verify(old)).toBe('NETWORK_UNREACHABLE')
  expect(countFetches()).toBe(1)
  answerBy(async () => encode([old]))
  wait(60_000)
  expect(await verify(old)).toBe('verified')
  answerBy(die)
  wait(86_400_000)
  expect(await verify(old)).toBe('verified')
  wait(60_001)
  expect(await verify(old)).toBe('NETWORK_UNREACHABLE')
})

test('ignores sets that are none, too many keys, and shared secrets', async () => {
  const texts = ['', '[]', '{"keys":1}', JSON.stringify({ keys: Array(51).fill({ kty: 'EC' }) })]
  for (const text of texts) {
    const { verify, answerBy } = setKeys(old)
    answerBy(async () => new TextEncoder().encode(text))
    expect(await verify(old), text).toBe('NETWORK_UNREACHABLE')
  }
  const { verify, answerBy } = setKeys(old)
  answerBy(async () => new TextEncoder().encode('{"keys":[{"kty":"oct","k":"AA","kid":"old"}]}'))
  expect(await verify(old)).toBe('ERR_JWKS_NO_MATCHING_KEY')
})
