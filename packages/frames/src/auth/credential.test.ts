import { vectors } from '@latchkey/testkit/signer/vectors'
import { verifyStamp } from '@latchkey/testkit/signer/verifyStamp'
import { hex } from '@scure/base'
import { expect, test } from 'vitest'
import { importCredential, stampBody } from './credential.ts'

const { apiKeyStamp, credentialBundle } = vectors

test('makes a stamp that custody verifies for this body only', async () => {
  const credential = await importCredential(hex.decode(apiKeyStamp.privateKey))
  expect(credential.publicKey).toBe(apiKeyStamp.publicKey)
  const stamp = await stampBody(credential, apiKeyStamp.body)
  expect(verifyStamp(stamp, apiKeyStamp.body)).toBe(apiKeyStamp.publicKey)
  expect(() => verifyStamp(stamp, `${apiKeyStamp.body} `)).toThrow('does not belong')
})

test('stamps text as UTF-8', async () => {
  const credential = await importCredential(hex.decode(credentialBundle.opensTo))
  const body = '{"name":"Zoë 🔑"}'
  expect(verifyStamp(await stampBody(credential, body), body)).toBe(credentialBundle.credentialPublicKey)
})

test('makes the key non-extractable and overwrites the scalar', async () => {
  const scalar = hex.decode(apiKeyStamp.privateKey)
  const { key } = await importCredential(scalar)
  expect(scalar).toEqual(new Uint8Array(32))
  await expect(crypto.subtle.exportKey('jwk', key)).rejects.toThrow()
})

test('refuses scalars that are not keys', async () => {
  const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
  for (const scalar of ['00'.repeat(32), order, 'ff'.repeat(32)]) {
    await expect(importCredential(hex.decode(scalar))).rejects.toThrow('does not hold a P-256 key')
  }
})
