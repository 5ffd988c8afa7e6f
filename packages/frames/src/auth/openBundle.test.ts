import { embeddedKeyPair } from '@latchkey/testkit/signer/embeddedKeyPair'
import { sealBundle } from '@latchkey/testkit/signer/sealBundle'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { base64urlnopad, hex } from '@scure/base'
import { describe, expect, test } from 'vitest'
import { FrameError } from '../FrameError.ts'
import { decodeBundle, openBundle } from './openBundle.ts'

const { target, bundle, payloadHex, opensTo } = vectors.credentialBundle

test('opens the vector with a non-extractable key', async () => {
  const key = await embeddedKeyPair(target.privateKey)
  expect(hex.encode(await openBundle(bundle, key))).toBe(opensTo)
  expect(hex.encode(await openBundle(base64urlnopad.encode(hex.decode(payloadHex)), key))).toBe(opensTo)
  await expect(crypto.subtle.exportKey('jwk', key.privateKey)).rejects.toThrow()
})

test('refuses a key it was not sealed to', async () => {
  const other = await embeddedKeyPair(vectors.apiKeyStamp.privateKey)
  await expect(openBundle(bundle, other)).rejects.toThrow(/^unable to decrypt bundle using embedded key/)
})

test('refuses every changed byte', async () => {
  const key = await embeddedKeyPair(target.privateKey)
  for (const index of [0, 1, 20, 33, 50, 64, 80]) {
    const payload = hex.decode(payloadHex)
    payload[index] = (payload[index] ?? 0) ^ 1
    await expect(openBundle(base64urlnopad.encode(payload), key)).rejects.toThrow(/^unable to decrypt bundle/)
  }
})

test('refuses sealed text that is not a key', async () => {
  const key = await embeddedKeyPair(target.privateKey)
  const { bundle: long } = await sealBundle(target.publicKey, new Uint8Array(33).fill(1))
  await expect(openBundle(long, key)).rejects.toThrow('does not hold a P-256 key')
})

describe('decodeBundle', () => {
  test('decodes base58check as mailed', () => {
    const { enc, ciphertext } = decodeBundle(bundle)
    expect(hex.encode(enc) + hex.encode(ciphertext)).toBe(payloadHex)
    expect([enc.length, ciphertext.length]).toEqual([33, 48])
  })

  test('decodes the older base64url form of the same payload', () => {
    const text = base64urlnopad.encode(hex.decode(payloadHex))
    expect(decodeBundle(text)).toEqual(decodeBundle(bundle))
    expect(decodeBundle(`${text}==`)).toEqual(decodeBundle(bundle))
  })

  test('refuses a changed character, other text and too few bytes', () => {
    const changed = `${bundle[0] === 'w' ? 'x' : 'w'}${bundle.slice(1)}`
    for (const text of [changed, bundle.slice(0, -1), 'not a bundle!', '', base64urlnopad.encode(new Uint8Array(33))]) {
      expect(() => decodeBundle(text)).toThrow(FrameError)
    }
  })

  test('refuses an oversized bundle at once', () => {
    expect(() => decodeBundle('1'.repeat(1_000_000))).toThrow('too long')
  })
})
