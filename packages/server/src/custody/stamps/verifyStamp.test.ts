import { expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { createStamp } from '../../keys/createStamp.ts'
import { verifyStamp } from './verifyStamp.ts'

const body = new TextEncoder().encode('{}')
const key = createApiKeyPair()
const { stampHeaderValue } = createStamp(body, key)

test('default', () => {
  expect(verifyStamp(new Headers({ 'x-stamp': stampHeaderValue }), body)).toEqual({
    kind: 'api_key',
    publicKey: key.publicKey,
    text: `X-Stamp: ${stampHeaderValue}`,
  })
})

test('error: no stamp', () => {
  expect(() => verifyStamp(new Headers(), body)).toThrow(
    expect.objectContaining({ code: 'SIGNATURE_MISSING', status: 401 }),
  )
})

test('error: a passkey stamp is not supported yet', () => {
  expect(() => verifyStamp(new Headers({ 'x-stamp-webauthn': '{}' }), body)).toThrow(
    'Passkey stamps are not supported by this server yet. Stamp the request with an API key (X-Stamp).',
  )
})

test('error: two stamps', () => {
  const headers = new Headers({ 'x-stamp': stampHeaderValue, 'x-stamp-webauthn': '{}' })
  expect(() => verifyStamp(headers, body)).toThrow('The request has two stamps. Send only one.')
})
