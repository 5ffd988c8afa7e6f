import { p256 } from '@noble/curves/nist.js'
import type { secp256k1 } from '@noble/curves/secp256k1.js'

type Curve = typeof p256 | typeof secp256k1

/** Returns whether hex is a point of a curve (SEC 1 § 2.3.4), P-256 by default. */
export function isPoint(hex: string, curve: Curve = p256): boolean {
  try {
    curve.Point.fromHex(hex)
    return true
  } catch {
    return false
  }
}

/**
 * Returns whether bytes are exactly one signature of a curve in strict DER: `SEQUENCE { INTEGER r, INTEGER s }` (X.690,
 * SEC 1 § C.5), both from 1 to below the curve's order. Accepts high and low s; P-256 by default.
 */
export function isDerSignature(bytes: Uint8Array, curve: Curve = p256): boolean {
  try {
    curve.Signature.fromBytes(bytes, 'der')
    return true
  } catch {
    return false
  }
}

/** Decodes hex in either case, without `0x`. Returns undefined for any other text and for the empty string. */
export function readHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined
}

/**
 * Decodes base64url, with or without padding (RFC 4648 § 5). Returns undefined for other text and for the empty string.
 */
export function readBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length > 0 ? new Uint8Array(bytes) : undefined
}

/**
 * Decodes like {@link readBase64url}, and also accepts the standard alphabet, which some clients send (custody protocol
 * § 1.2).
 */
export function readBase64(text: string): Uint8Array | undefined {
  return readBase64url(text.replaceAll('+', '-').replaceAll('/', '_'))
}
