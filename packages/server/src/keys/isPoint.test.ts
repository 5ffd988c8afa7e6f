import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { isPoint } from './isPoint.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const key = p256.utils.randomSecretKey()

test('default: compressed and not', () => {
  for (const isCompressed of [true, false]) expect(isPoint(hex(p256.getPublicKey(key, isCompressed)))).toBe(true)
})

test('param: curve', () => {
  const point = hex(secp256k1.getPublicKey(key, false))
  expect([isPoint(point, secp256k1), isPoint(point)]).toEqual([true, false])
})

test.each(['', '04', `04${'11'.repeat(64)}`, `02${'ff'.repeat(32)}`, 'zz'])('error: %j', (text) => {
  expect(isPoint(text)).toBe(false)
})
