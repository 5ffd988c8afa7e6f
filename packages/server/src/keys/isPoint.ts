import { p256 } from '@noble/curves/nist.js'
import type { secp256k1 } from '@noble/curves/secp256k1.js'

/** Whether hex is a point of a curve (SEC 1 § 2.3.4). @default P-256 */
export function isPoint(hex: string, curve: typeof p256 | typeof secp256k1 = p256): boolean {
  try {
    curve.Point.fromHex(hex)
    return true
  } catch {
    return false
  }
}
