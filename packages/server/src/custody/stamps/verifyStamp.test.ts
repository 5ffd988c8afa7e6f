import { official } from '@latchkey/testkit/webauthnVectors'
import { expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { createStamp } from '../../platform/crypto/createStamp.ts'
import { readWebauthnStamp } from '../../webauthn/webauthnStamp.ts'
import { verifyStamp } from './verifyStamp.ts'

const body = new TextEncoder().encode('{}')
const key = createApiKeyPair()
const { stampHeaderValue } = createStamp(body, key)
const stamp = JSON.parse(official.header) as Record<string, string>

test('reads the stamp of an API key', () => {
  expect(verifyStamp(new Headers({ 'x-stamp': stampHeaderValue }), body)).toEqual({
    kind: 'api_key',
    curve: 'p256',
    publicKey: key.publicKey,
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    signature: expect.stringMatching(/^30/),
    text: `X-Stamp: ${stampHeaderValue}`,
  })
})

test('refuses a request without a stamp', () => {
  expect(() => verifyStamp(new Headers(), body)).toThrow(
    expect.objectContaining({ code: 'SIGNATURE_MISSING', status: 401 }),
  )
})

test('reads the stamp of a passkey with the expected challenge', () => {
  expect(
    verifyStamp(new Headers({ 'X-Stamp-Webauthn': official.header }), new TextEncoder().encode(official.body)),
  ).toMatchObject({
    kind: 'passkey',
    assertion: {
      credentialId: stamp.credentialId,
      authenticatorData: new Uint8Array(Buffer.from(official.authenticatorDataHex, 'hex')),
    },
    challenge: new TextEncoder().encode(official.challenge),
    text: `X-Stamp-Webauthn: ${official.header}`,
  })
})

test('refuses two stamps', () => {
  const headers = new Headers({ 'x-stamp': stampHeaderValue, 'x-stamp-webauthn': '{}' })
  expect(() => verifyStamp(headers, body)).toThrow('The request has two stamps. Send only one.')
})

test('normalizes the encoding of a credential id', () => {
  const credentialId = Buffer.from(stamp.credentialId ?? '', 'base64url').toString('base64')
  expect(credentialId).toMatch(/\+.*=$/)
  expect(readWebauthnStamp(JSON.stringify({ ...stamp, credentialId })).credentialId).toBe(stamp.credentialId)
})

test('refuses a header that is not the JSON of a stamp', () => {
  const cases = [
    ['', 'not JSON'],
    ['eyJ9', 'not JSON'],
    ['null', 'must hold'],
    ['[]', 'must hold'],
    [JSON.stringify({ ...stamp, clientDataJson: undefined, clientDataJSON: stamp.clientDataJson }), 'must hold'],
    [JSON.stringify({ ...stamp, signature: 5 }), 'must hold'],
    [JSON.stringify({ ...stamp, signature: '' }), 'must hold'],
    [JSON.stringify({ ...stamp, signature: 'a b' }), 'must hold'],
    [`"${'a'.repeat(8191)}"`, 'longer than'],
  ] as const
  for (const [header, message] of cases) {
    expect(() => readWebauthnStamp(header), header).toThrow(message)
    expect(() => readWebauthnStamp(header)).toThrow(expect.objectContaining({ code: 'SIGNATURE_INVALID', status: 401 }))
  }
})
