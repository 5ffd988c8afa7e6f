import { weierstrass } from '@noble/curves/abstract/weierstrass.js'

/**
 * secp256r1 (SEC 2 § 2.4.2), only with point arithmetic: the library's curve would add unused signing code to the
 * bundle.
 */
const Point = weierstrass({
  p: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  h: 1n,
  a: 0xffffffff00000001000000000000000000000000fffffffffffffffffffffffcn,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  Gx: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  Gy: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
})

/** Converts a point between the SEC 1 forms of 33 and 65 bytes. Throws if the point is not on the curve. */
export function reshapePoint(point: Uint8Array, compressed: boolean): Uint8Array {
  return Point.fromBytes(point).toBytes(compressed)
}

/** Returns the public key of a 32-byte scalar as an uncompressed point. Throws if the scalar is out of range. */
export function publicPoint(scalar: Uint8Array): Uint8Array {
  return Point.BASE.multiply(Point.Fn.fromBytes(scalar)).toBytes(false)
}
