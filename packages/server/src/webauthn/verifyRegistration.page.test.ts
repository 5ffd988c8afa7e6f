import { createHash, randomBytes } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { chromium } from '@latchkey/testkit/webauthnVectors'
import { expect, test } from 'vitest'
import { findRpId, verifyRegistration } from './verifyRegistration.ts'

const allowedOrigins = ['http://localhost:4100', 'https://app.example.com', 'http://localhost:8080']
const verify = (registration: Omit<verifyRegistration.Parameters, 'allowedOrigins'>) =>
  verifyRegistration({ ...registration, allowedOrigins })

test('verifies a registration of Chromium', () => {
  expect(verify(chromium.registration)).toEqual({
    credentialId: chromium.registration.attestation.credentialId,
    publicKey: chromium.coseKey,
    rpId: 'localhost',
    signCount: 1,
    aaguid: '01020304-0506-0708-0102-030405060708',
  })
})

test.each(['ES256', 'RS256'] as const)('verifies %s with none and self attestation', (algorithm) => {
  const authenticator = createAuthenticator({ algorithm, counts: false })
  for (const format of ['none', 'packed'] as const)
    expect(verify(authenticator.register({ format }))).toMatchObject({
      credentialId: authenticator.credentialId,
      rpId: 'localhost',
      signCount: 0,
    })
})

test('accepts a parent domain as relying party and flags of a synced passkey', () => {
  const authenticator = createAuthenticator({ rpId: 'example.com', origin: 'https://app.example.com' })
  expect(verify(authenticator.register({ flags: 0x59 })).rpId).toBe('example.com')
  expect(verify(authenticator.register({ flags: 0x41 })).rpId).toBe('example.com')
})

test('reads padded base64', () => {
  const { challenge, attestation } = createAuthenticator().register()
  const standard = (text: string) => Buffer.from(text, 'base64url').toString('base64')
  const { credentialId, attestationObject, clientDataJson } = attestation
  const verified = verify({
    challenge: standard(challenge),
    attestation: {
      credentialId: standard(credentialId),
      attestationObject: standard(attestationObject),
      clientDataJson: standard(clientDataJson),
    },
  })
  expect(verified.credentialId).toBe(credentialId)
})

const authenticator = createAuthenticator()
const good = authenticator.register()
const object = (edit: (hex: string) => string) => {
  const attestationObject = Buffer.from(
    edit(Buffer.from(good.attestation.attestationObject, 'base64url').toString('hex')),
    'hex',
  ).toString('base64url')
  return { ...good, attestation: { ...good.attestation, attestationObject } }
}
const foreignPage = { crossOrigin: true, topOrigin: 'https://evil.example' }

test.each([
  ['another type', authenticator.register({ type: 'webauthn.get' }), 'not of type webauthn.create'],
  ['another challenge', { ...good, challenge: randomBytes(32).toString('base64url') }, 'another challenge'],
  ['a foreign origin', authenticator.register({ origin: 'https://evil.example' }), 'origin that is not registered'],
  ['a longer origin', authenticator.register({ origin: 'http://localhost:41000' }), 'origin that is not registered'],
  ['a frame in a foreign page', authenticator.register({ client: foreignPage }), 'inside a page of an origin'],
  ['a frame in an unnamed page', authenticator.register({ client: { crossOrigin: true } }), 'inside a page'],
  ['a foreign relying party', authenticator.register({ rpId: 'evil.example' }), 'relying party id'],
  ['no user presence', authenticator.register({ flags: 0x44 }), 'flag UP'],
  ['no credential data', authenticator.register({ flags: 0x05 }), 'holds no credential'],
  ['backed up but not eligible', authenticator.register({ flags: 0x55 }), 'contradict'],
  ['another credential id', authenticator.register({ credentialId: randomBytes(32) }), 'not the id of the attested'],
  ['no base64url', { ...good, challenge: '%' }, 'challenge is not base64url'],
  [
    'client data that is not JSON',
    { ...good, attestation: { ...good.attestation, clientDataJson: 'AAAA' } },
    'not JSON',
  ],
  ['an empty object', object(() => 'a0'), 'not CBOR of fmt'],
  ['a cut object', object((hex) => hex.slice(0, -2)), 'not CBOR of fmt'],
  ['bytes behind the object', object((hex) => `${hex}00`), 'not CBOR of fmt'],
  ['another format', object((hex) => hex.replace('646e6f6e65', '6461626364')), 'Ask for attestation "none"'],
  ['another algorithm', object((hex) => hex.replace('01020326', '01020327')), 'neither ES256'],
])('refuses %s', (_name, registration, message) => {
  expect(() => verify(registration)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID', status: 400 }))
  expect(() => verify(registration)).toThrow(message)
})

test.each([0, 1_024])('refuses a credential id of %i bytes', (idBytes) => {
  expect(() => verify(createAuthenticator({ idBytes }).register({ credentialId: Buffer.of(1) }))).toThrow(
    'must have 1 to 1023 bytes',
  )
  expect(verify(createAuthenticator({ idBytes: 1_023 }).register()).credentialId).toHaveLength(1_364)
})

test('refuses self attestation by another key', () => {
  const [mine, other] = [authenticator.register({ format: 'packed' }), createAuthenticator().register()]
  const clientDataJson = other.attestation.clientDataJson
  expect(() => verify({ challenge: other.challenge, attestation: { ...mine.attestation, clientDataJson } })).toThrow(
    'not signed by the credential',
  )
})

const origins = [
  'http://localhost:4100',
  'https://a.app.example.com',
  'http://127.0.0.1:1',
  'https://[::1]',
  'http://box',
]
const find = (rpId: string) => findRpId(createHash('sha256').update(rpId).digest(), origins)

test('finds a relying party id by its hash', () => {
  for (const rpId of ['localhost', 'a.app.example.com', 'app.example.com', 'example.com', 'box'])
    expect(find(rpId)).toBe(rpId)
})

test("refuses relying party ids outside the origins' domains", () => {
  for (const rpId of [
    'com',
    'b.app.example.com',
    'xample.com',
    '127.0.0.1',
    '0.0.1',
    '[::1]',
    '::1',
    '',
    'evil.example',
  ])
    expect(find(rpId), rpId).toBeUndefined()
})
