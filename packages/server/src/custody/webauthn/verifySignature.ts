import { verify } from 'node:crypto'
import { isStrictDer } from '../stamps/isStrictDer.ts'
import { coseAlgorithms, type readCoseKey } from './coseKey.ts'

/** Verifies a WebAuthn signature (L3 § 6.5.5): ES256 as strict DER, RS256 as PKCS#1 v1.5, over SHA-256. */
export function verifySignature(
  { key, algorithm }: readCoseKey.ReturnType,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (algorithm === coseAlgorithms.es256 && !isStrictDer(signature)) return false
  return verify('sha256', message, key, signature)
}
