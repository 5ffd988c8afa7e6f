import type { webcrypto } from 'node:crypto'
import type { ExportBundleData } from 'latchkey/wire'
import { hpkeSeal } from './hpkeSeal.ts'
import { signBundle } from './signBundle.ts'

/**
 * Export bundle (custody protocol § 4.4): a secret sealed to an export frame's key, with the organization it belongs
 * to, signed so that the frame shows nothing that did not come from this service. Answers JSON text.
 */
export async function exportBundle(parameters: exportBundle.Parameters): Promise<string> {
  const { organizationId, targetPublicKey, plaintext, signingKey, ephemeralKeys } = parameters
  const sealed = await hpkeSeal({ recipientPublicKey: targetPublicKey, plaintext, ephemeralKeys })
  const data: ExportBundleData = {
    encappedPublic: Buffer.from(sealed.enc).toString('hex'),
    ciphertext: Buffer.from(sealed.ciphertext).toString('hex'),
    organizationId,
  }
  return signBundle(data, signingKey)
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
