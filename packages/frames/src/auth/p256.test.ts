import { createECDH } from 'node:crypto'
import { hex } from '@scure/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { publicPoint, reshapePoint } from './p256.ts'

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const bytesOf = (scalar: bigint) => hex.decode(scalar.toString(16).padStart(64, '0'))
/** Computes the point with Node.js. */
function expected(scalar: bigint, form: 'compressed' | 'uncompressed'): string {
  const key = createECDH('prime256v1')
  key.setPrivateKey(bytesOf(scalar))
  return key.getPublicKey('hex', form)
}
function check(scalar: bigint): void {
  const [long, short] = [expected(scalar, 'uncompressed'), expected(scalar, 'compressed')]
  expect(hex.encode(publicPoint(bytesOf(scalar)))).toBe(long)
  expect(hex.encode(reshapePoint(hex.decode(long), true))).toBe(short)
  expect(hex.encode(reshapePoint(hex.decode(short), false))).toBe(long)
}

test('agrees with Node.js for any key', () => {
  fc.assert(fc.property(fc.bigInt({ min: 1n, max: order - 1n }), check), { numRuns: 50 })
  for (const scalar of [1n, 2n, order - 2n, order - 1n]) check(scalar)
})

test('refuses scalars that are not keys', () => {
  for (const scalar of [0n, order, order + 1n, 2n ** 256n - 1n]) expect(() => publicPoint(bytesOf(scalar))).toThrow()
  for (const length of [0, 31, 33]) expect(() => publicPoint(new Uint8Array(length).fill(1))).toThrow()
})

test('refuses bytes that are not a point', () => {
  const point = publicPoint(bytesOf(5n))
  point[64] = (point[64] ?? 0) ^ 1
  expect(() => reshapePoint(point, true)).toThrow()
  // For about half of all x there is no point on the curve.
  const shifted = Array.from({ length: 40 }, (_, x) => new Uint8Array(33).fill(0, 1).fill(2, 0, 1).fill(x, 32))
  const refused = shifted.filter((bytes) => {
    try {
      reshapePoint(bytes, false)
      return false
    } catch {
      return true
    }
  })
  expect(refused.length).toBeGreaterThan(10)
})
