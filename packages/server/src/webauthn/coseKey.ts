import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { isDerSignature } from '../platform/crypto/encodings.ts'
import { type Cbor, decodeCbor } from './cbor.ts'

/** Supported COSE algorithms of passkeys: ES256 and RS256. */
export const coseAlgorithms = { es256: -7, rs256: -257 } as const

export declare namespace readCoseKey {
  type ReturnType = { key: KeyObject; algorithm: (typeof coseAlgorithms)[keyof typeof coseAlgorithms] }
}

/**
 * Reads a credential public key (RFC 9052 § 7; EC2: RFC 9053 § 7.1.1; RSA: RFC 8230 § 4) that is exactly `bytes`.
 * Undefined unless it is a P-256 key for ES256 or an RSA key of 2048 to 4096 bits for RS256.
 */
export function readCoseKey(bytes: Uint8Array): readCoseKey.ReturnType | undefined {
  const decoded = decodeCbor(bytes)
  if (!decoded || decoded.length !== bytes.length || !(decoded.value instanceof Map)) return undefined
  const jwk = toJwk(decoded.value)
  if (!jwk) return undefined
  try {
    // Also rejects a point off the curve.
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    if (key.asymmetricKeyType === 'ec') return { key, algorithm: coseAlgorithms.es256 }
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    return bits >= 2048 && bits <= 4096 ? { key, algorithm: coseAlgorithms.rs256 } : undefined
  } catch {
    return undefined
  }
}

/** Verifies a WebAuthn signature (L3 § 6.5.5): ES256 as strict DER, RS256 as PKCS#1 v1.5, over SHA-256. */
export function verifySignature(
  { key, algorithm }: readCoseKey.ReturnType,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (algorithm === coseAlgorithms.es256 && !isDerSignature(signature)) return false
  return verify('sha256', message, key, signature)
}

function toJwk(key: Map<number | string, Cbor>): JsonWebKey | undefined {
  const [type, algorithm, first, second, third] = [1, 3, -1, -2, -3].map((label) => key.get(label))
  if (type === 2 && algorithm === coseAlgorithms.es256 && first === 1)
    return isBytes(second, 32) && isBytes(third, 32)
      ? { kty: 'EC', crv: 'P-256', x: base64url(second), y: base64url(third) }
      : undefined
  if (type === 3 && algorithm === coseAlgorithms.rs256)
    return isBytes(first) && isBytes(second, 3) ? { kty: 'RSA', n: base64url(first), e: base64url(second) } : undefined
  return undefined
}

function isBytes(value: Cbor | undefined, length?: number): value is Uint8Array {
  return value instanceof Uint8Array && (length === undefined || value.length === length)
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
