import { createHash } from 'node:crypto'
import { createAuthenticator, type Deviation } from '@latchkey/testkit/authenticator'
import { chromium, official } from '@latchkey/testkit/webauthnVectors'
import { expect, test } from 'vitest'
import { verifyAssertion } from './verifyAssertion.ts'
import { verifyRegistration } from './verifyRegistration.ts'
import { readWebauthnStamp, webauthnChallenge } from './webauthnStamp.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const allowedOrigins = ['http://localhost:4100', 'http://localhost:8080', 'https://app.example.com']

test('verifies an assertion of Chromium', () => {
  const verified = verifyAssertion({
    assertion: readWebauthnStamp(chromium.assertion.header),
    challenge: webauthnChallenge(bytes(chromium.assertion.body)),
    allowedOrigins,
    credential: { publicKey: chromium.coseKey, rpId: 'localhost' },
  })
  expect(verified).toEqual({ signCount: 2, userVerified: true })
})

test('verifies a stamp of the official stamper', () => {
  expect(createHash('sha256').update(official.body).digest('hex')).toBe(official.challenge)
  const verified = verifyAssertion({
    assertion: readWebauthnStamp(official.header),
    challenge: webauthnChallenge(bytes(official.body)),
    allowedOrigins,
    credential: { publicKey: official.coseKey, rpId: 'app.example.com' },
  })
  expect(verified).toEqual({ signCount: 7, userVerified: true })
})

const body = '{"organizationId":"11111111-2222-4333-8444-555555555555"}'

function assert(
  authenticator: ReturnType<typeof createAuthenticator>,
  deviation: Deviation = {},
  { signed = body, asked = body, edit = (stamp: Record<string, string>): Record<string, string> => stamp } = {},
) {
  const { publicKey } = verifyRegistration({ ...authenticator.register(), allowedOrigins })
  const stamp = edit(JSON.parse(authenticator.stamp(signed, deviation)) as Record<string, string>)
  return verifyAssertion({
    assertion: readWebauthnStamp(JSON.stringify(stamp)),
    challenge: webauthnChallenge(bytes(asked)),
    allowedOrigins,
    credential: { publicKey, rpId: 'localhost' },
  })
}

test.each(['ES256', 'RS256'] as const)('verifies %s', (algorithm) => {
  const authenticator = createAuthenticator({ algorithm })
  expect(assert(authenticator)).toEqual({ signCount: 2, userVerified: true })
  const flip = (stamp: Record<string, string>) => {
    const signature = Buffer.from(stamp.signature ?? '', 'base64url')
    signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1
    return { ...stamp, signature: signature.toString('base64url') }
  }
  expect(assert(authenticator, {}, { edit: flip }).problem).toContain('signature does not belong')
})

test('accepts missing user verification, unknown members and a known embedding page', () => {
  const authenticator = createAuthenticator()
  const client = { other_keys_can_be_added_here: 'do not compare clientDataJSON against a template' }
  for (const deviation of [
    { flags: 0x01 },
    { flags: 0x1d },
    { client },
    { client: { crossOrigin: true, topOrigin: 'https://app.example.com' } },
  ])
    expect(assert(authenticator, deviation).problem).toBeUndefined()
})

test.each([
  ['the digest itself as challenge', { challenge: createHash('sha256').update(body).digest() }, 'another challenge'],
  ['no scheme', { origin: 'localhost:4100' }, 'origin that is not registered'],
  ['a frame in an unnamed page', { client: { crossOrigin: true } }, 'inside a page'],
  ['a frame in a foreign page', { client: { crossOrigin: true, topOrigin: 'https://evil.example' } }, 'inside a page'],
  ['backed up but not eligible', { flags: 0x11 }, 'contradict'],
  ['credential data announced, not there', { flags: 0x45 }, 'cannot be read'],
] as const)('refuses %s', (_name, deviation, message) => {
  expect(assert(createAuthenticator(), deviation).problem).toContain(message)
})

const edited = (name: string, change: (bytes: Buffer) => Uint8Array) => (stamp: Record<string, string>) => ({
  ...stamp,
  [name]: Buffer.from(change(Buffer.from(stamp[name] ?? '', 'base64url'))).toString('base64url'),
})

test.each([
  ['client data that is not JSON', edited('clientDataJson', () => bytes('{')), 'not JSON'],
  ['client data that is not an object', edited('clientDataJson', () => bytes('1')), 'not JSON'],
  [
    'client data that is not UTF-8',
    edited('clientDataJson', (data) => Buffer.concat([data, Buffer.of(0xff)])),
    'not JSON',
  ],
  ['authenticator data cut short', edited('authenticatorData', (data) => data.subarray(0, 36)), 'cannot be read'],
  ['bytes behind the authenticator data', edited('authenticatorData', (data) => Buffer.concat([data, data])), 'cannot'],
  ['extensions announced, not there', edited('authenticatorData', (data) => data.fill(0x85, 32, 33)), 'cannot be read'],
  ['bytes behind the signature', edited('signature', (data) => Buffer.concat([data, Buffer.of(0)])), 'does not belong'],
  ['a signature of loose lengths', edited('signature', loosen), 'does not belong'],
])('refuses %s', (_name, edit, message) => {
  expect(assert(createAuthenticator(), {}, { edit }).problem).toContain(message)
})

/** Writes the length in the long form, which BER allows and DER forbids. */
function loosen(signature: Buffer): Buffer {
  return Buffer.concat([signature.subarray(0, 1), Buffer.of(0x81), signature.subarray(1)])
}

test('refuses exchanged keys, authenticator data and client data', () => {
  const [authenticator, other] = [createAuthenticator(), createAuthenticator()]
  const others = JSON.parse(other.stamp(body)) as Record<string, string>
  for (const name of ['signature', 'authenticatorData']) {
    const value = name === 'signature' ? others.signature : changeCounter(others.authenticatorData)
    const edit = (stamp: Record<string, string>) => ({ ...stamp, [name]: value ?? '' })
    expect(assert(authenticator, {}, { edit }).problem).toContain('signature does not belong')
  }
  const padded = (stamp: Record<string, string>) => {
    const text = `${Buffer.from(stamp.clientDataJson ?? '', 'base64url').toString()} `
    return { ...stamp, clientDataJson: Buffer.from(text).toString('base64url') }
  }
  expect(assert(authenticator, {}, { edit: padded }).problem).toContain('signature does not belong')
})

function changeCounter(authenticatorData: string | undefined): string {
  const data = Buffer.from(authenticatorData ?? '', 'base64url')
  data[36] = 99
  return data.toString('base64url')
}
