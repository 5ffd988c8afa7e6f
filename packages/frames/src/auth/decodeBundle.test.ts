import { vectors } from '@latchkey/testkit/signer/vectors'
import { base64urlnopad, hex } from '@scure/base'
import { expect, test } from 'vitest'
import { FrameError } from '../FrameError.ts'
import { decodeBundle } from './decodeBundle.ts'

const { bundle, payloadHex } = vectors.credentialBundle

test('default: base58check, as it comes in a mail', () => {
  const { enc, ciphertext } = decodeBundle(bundle)
  expect(hex.encode(enc) + hex.encode(ciphertext)).toBe(payloadHex)
  expect([enc.length, ciphertext.length]).toEqual([33, 48])
})

test('behavior: the older base64url form of the same payload', () => {
  const text = base64urlnopad.encode(hex.decode(payloadHex))
  expect(decodeBundle(text)).toEqual(decodeBundle(bundle))
  expect(decodeBundle(`${text}==`)).toEqual(decodeBundle(bundle))
})

test('error: a changed character, text of neither form, and too few bytes', () => {
  const changed = `${bundle[0] === 'w' ? 'x' : 'w'}${bundle.slice(1)}`
  for (const text of [changed, bundle.slice(0, -1), 'not a bundle!', '', base64urlnopad.encode(new Uint8Array(33))]) {
    expect(() => decodeBundle(text)).toThrow(FrameError)
  }
})

test('error: a bundle as long as a link can be, at once', () => {
  expect(() => decodeBundle('1'.repeat(1_000_000))).toThrow('too long')
})
