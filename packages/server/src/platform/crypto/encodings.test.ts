import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { isDerSignature, isPoint, readBase64, readBase64url, readHex } from './encodings.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const key = p256.utils.randomSecretKey()

const toDer = (r: string, s: string) => {
  const integer = (digits: string) => `02${(digits.length / 2).toString(16).padStart(2, '0')}${digits}`
  const content = integer(r) + integer(s)
  return Buffer.from(`30${(content.length / 2).toString(16).padStart(2, '0')}${content}`, 'hex')
}

test('recognizes points of a curve', () => {
  for (const isCompressed of [true, false]) expect(isPoint(hex(p256.getPublicKey(key, isCompressed)))).toBe(true)
  const point = hex(secp256k1.getPublicKey(key, false))
  expect([isPoint(point, secp256k1), isPoint(point)]).toEqual([true, false])
  for (const text of ['', '04', `04${'11'.repeat(64)}`, `02${'ff'.repeat(32)}`, 'zz']) expect(isPoint(text)).toBe(false)
})

test("recognizes DER signatures with r and s below the curve's order", () => {
  expect(isDerSignature(toDer('01', '7f'))).toBe(true)
  const last = `00${(p256.Point.Fn.ORDER - 1n).toString(16)}`
  expect(isDerSignature(toDer(last, '7f'.repeat(32)))).toBe(true)
  expect(isDerSignature(toDer('7f'.repeat(32), last))).toBe(true)
  const between = `00${p256.Point.Fn.ORDER.toString(16)}`
  for (const signature of [toDer(between, '01'), toDer('01', between)])
    expect([isDerSignature(signature), isDerSignature(signature, secp256k1)]).toEqual([false, true])
})

test('refuses negative, zero, padded and too long integers', () => {
  for (const integer of ['80', '00', '0001', `7f${'ff'.repeat(32)}`, `00${'ff'.repeat(33)}`, '']) {
    expect(isDerSignature(toDer(integer, '01')), `r ${integer}`).toBe(false)
    expect(isDerSignature(toDer('01', integer)), `s ${integer}`).toBe(false)
  }
})

test('refuses cut, long-form, indefinite and trailing frames', () => {
  const good = toDer('01', '02')
  for (let length = 0; length < good.length; length++) expect(isDerSignature(good.subarray(0, length))).toBe(false)
  expect(isDerSignature(Buffer.concat([good, Buffer.of(0)]))).toBe(false)
  for (const frame of [
    '308106020101020102',
    '30820006020101020102',
    '30800201010201020000',
    '3007028101010201 02'.replace(' ', ''),
    '3007020101020102ff',
    '3106020101020102',
  ])
    expect(isDerSignature(Buffer.from(frame, 'hex')), frame).toBe(false)
})

test('reads hex, base64url and base64', () => {
  expect(readHex('00fFAb')).toEqual(Buffer.of(0, 255, 171))
  for (const text of ['', '0', '0x00', '00 ', 'gg', '00\n']) expect(readHex(text), text).toBeUndefined()
  expect(readBase64url('-_8')).toEqual(Uint8Array.of(251, 255))
  expect(readBase64url('-_8=')).toEqual(Uint8Array.of(251, 255))
  expect(readBase64('+/8=')).toEqual(Uint8Array.of(251, 255))
  for (const text of ['', '=', 'A', 'a b', '-_8===', '-_=8', 'AA\n', '{}']) {
    expect(readBase64url(text), text).toBeUndefined()
    expect(readBase64(text), text).toBeUndefined()
  }
  expect(readBase64url('+/8=')).toBeUndefined()
})
