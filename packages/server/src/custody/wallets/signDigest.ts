import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { SignRawPayloadResult } from 'latchkey/wire'

/** Signs a 32-byte digest: RFC 6979, low s, recovery bit as two hex digits (custody protocol § 2.6). */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): SignRawPayloadResult {
  const signature = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
  const hex = Buffer.from(signature).toString('hex')
  return { r: hex.slice(2, 66), s: hex.slice(66, 130), v: hex.slice(0, 2) }
}
