import { vectors } from '@latchkey/testkit/signer/vectors'
import { hex } from '@scure/base'
import { expect, test } from 'vitest'
import { fromDer, toDer } from './der.ts'

const r = 'ab'.repeat(32)
const s = '01'.repeat(32)

const { signatureDer, signatureRaw } = vectors.apiKeyStamp

test('decodes the vector', () => {
  expect(hex.encode(fromDer(hex.decode(signatureDer)))).toBe(signatureRaw)
})

test('encodes the vector, short integers and integers with the top bit set', () => {
  expect(hex.encode(toDer(hex.decode(signatureRaw)))).toBe(signatureDer)
  const raw = new Uint8Array(64)
  raw[31] = 1
  raw.set([0x80], 32)
  expect(hex.encode(toDer(raw))).toBe(`3026020101022100${'80'}${'00'.repeat(31)}`)
})

test('pads short integers', () => {
  expect(hex.encode(fromDer(hex.decode('3007020101020200ff')).subarray(31))).toBe(`01${'00'.repeat(31)}ff`)
})

test.each([
  ['nothing', ''],
  ['another tag', `3145022100${r}0220${s}`],
  ['a length too long', `3046022100${r}0220${s}`],
  ['something after', `3045022100${r}0220${s}00`],
  ['something after, counted', `3046022100${r}0220${s}00`],
  ['a negative integer', `30440220${r}0220${s}`],
  ['a zero too many', `304502210001${'01'.repeat(31)}0220${s}`],
  ['an empty integer', '300402000200'],
  ['an integer past the end', '300602010102ff01'],
  ['34 bytes', `3046022200ab${r}0220${s}`],
  ['33 bytes without a zero', `304502217f${r}0220${s}`],
  ['long-form length', `308145022100${r}0220${s}`],
])('refuses %s', (_what, der) => {
  expect(() => fromDer(hex.decode(der))).toThrow('is not DER')
})
