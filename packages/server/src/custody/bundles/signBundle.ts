import { p256 } from '@noble/curves/nist.js'
import type { ExportBundle } from 'latchkey/wire'

/**
 * Signs what a frame is to trust with the service's P-256 key (custody protocol §§ 4.4, 4.5). The order of the members
 * of `data` belongs to the layout. Answers JSON text.
 */
export function signBundle(data: Readonly<Record<string, string>>, signingKey: Uint8Array): string {
  const bytes = new TextEncoder().encode(JSON.stringify(data))
  const bundle: ExportBundle = {
    version: 'v1.0.0',
    data: Buffer.from(bytes).toString('hex'),
    // RFC 6979, over SHA-256 of the bytes.
    dataSignature: Buffer.from(p256.sign(bytes, signingKey, { format: 'der' })).toString('hex'),
    enclaveQuorumPublic: Buffer.from(p256.getPublicKey(signingKey, false)).toString('hex'),
  }
  return JSON.stringify(bundle)
}
