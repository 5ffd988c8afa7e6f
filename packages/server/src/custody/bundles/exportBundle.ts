import type { webcrypto } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { ExportBundle, ExportBundleData } from 'latchkey/wire'
import { hpkeSeal } from './hpkeSeal.ts'

/**
 * Export bundle (custody protocol § 4.4): a secret sealed to an export frame's key, with the organization it belongs
 * to, signed so that the frame shows nothing that did not come from this service. Answers JSON text.
 */
export async function exportBundle(parameters: exportBundle.Parameters): Promise<string> {
  const { organizationId, targetPublicKey, plaintext, signingKey, ephemeralKeys } = parameters
  const sealed = await hpkeSeal({ recipientPublicKey: targetPublicKey, plaintext, ephemeralKeys })
  // The order of the members belongs to the layout.
  const data: ExportBundleData = {
    encappedPublic: hex(sealed.enc),
    ciphertext: hex(sealed.ciphertext),
    organizationId,
  }
  const bytes = new TextEncoder().encode(JSON.stringify(data))
  const bundle: ExportBundle = {
    version: 'v1.0.0',
    data: hex(bytes),
    // RFC 6979, over SHA-256 of the bytes.
    dataSignature: hex(p256.sign(bytes, signingKey, { format: 'der' })),
    enclaveQuorumPublic: hex(p256.getPublicKey(signingKey, false)),
  }
  return JSON.stringify(bundle)
}

export declare namespace exportBundle {
  type Parameters = {
    /** The sub-organization the secret belongs to. */
    organizationId: string
    /** 65 bytes, uncompressed. */
    targetPublicKey: Uint8Array
    /** UTF-8 mnemonic, or the 32 bytes of a private key. The caller wipes it. */
    plaintext: Uint8Array
    /** P-256 private key, 32 bytes. */
    signingKey: Uint8Array
    /** Only to check against published vectors. */
    ephemeralKeys?: webcrypto.CryptoKeyPair | undefined
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
