import { embeddedKeyPair } from '@latchkey/testkit/signer/embeddedKeyPair'
import { sealBundle } from '@latchkey/testkit/signer/sealBundle'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { base64urlnopad, hex } from '@scure/base'
import { expect, test } from 'vitest'
import { openBundle } from './openBundle.ts'

const { target, bundle, payloadHex, opensTo } = vectors.credentialBundle

test('default: opens the vector with a key that cannot be exported', async () => {
  const key = await embeddedKeyPair(target.privateKey)
  expect(hex.encode(await openBundle(bundle, key))).toBe(opensTo)
  expect(hex.encode(await openBundle(base64urlnopad.encode(hex.decode(payloadHex)), key))).toBe(opensTo)
  await expect(crypto.subtle.exportKey('jwk', key.privateKey)).rejects.toThrow()
})

test('error: a key it was not sealed to', async () => {
  const other = await embeddedKeyPair(vectors.apiKeyStamp.privateKey)
  await expect(openBundle(bundle, other)).rejects.toThrow(/^unable to decrypt bundle using embedded key/)
})

test('error: every changed byte', async () => {
  const key = await embeddedKeyPair(target.privateKey)
  for (const index of [0, 1, 20, 33, 50, 64, 80]) {
    const payload = hex.decode(payloadHex)
    payload[index] = (payload[index] ?? 0) ^ 1
    await expect(openBundle(base64urlnopad.encode(payload), key)).rejects.toThrow(/^unable to decrypt bundle/)
  }
})

test('error: sealed text that is no key', async () => {
  const key = await embeddedKeyPair(target.privateKey)
  const { bundle: long } = await sealBundle(target.publicKey, new Uint8Array(33).fill(1))
  await expect(openBundle(long, key)).rejects.toThrow('does not hold a P-256 key')
})
