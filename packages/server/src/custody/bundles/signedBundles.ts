import type { webcrypto } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import type { BundleAccount, ExportBundle, ExportBundleData, ImportBundleData } from 'latchkey-protocol'
import { hpkeSeal } from './hpke.ts'

export declare namespace exportBundle {
  type Parameters = {
    /** Sub-organization that the secret belongs to. */
    organizationId: string
    /** Owner of the secret. */
    account: BundleAccount
    /** 65 bytes, uncompressed. */
    targetPublicKey: Uint8Array
    /** UTF-8 mnemonic, or the 32 bytes of a private key. The caller wipes it. */
    plaintext: Uint8Array
    /** P-256 private key, 32 bytes. */
    signingKey: Uint8Array
    /** Only for tests against published vectors. */
    ephemeralKeys?: webcrypto.CryptoKeyPair | undefined
  }
}

/**
 * Creates an export bundle (custody protocol § 4.4): a secret sealed to an export frame's key, together with its
 * organization and account. Its signature lets the frame reject data from other services. Returns JSON text.
 */
export async function exportBundle(parameters: exportBundle.Parameters): Promise<string> {
  const { organizationId, account, targetPublicKey, plaintext, signingKey, ephemeralKeys } = parameters
  const sealed = await hpkeSeal({ recipientPublicKey: targetPublicKey, plaintext, ephemeralKeys })
  const data: ExportBundleData = {
    encappedPublic: Buffer.from(sealed.enc).toString('hex'),
    ciphertext: Buffer.from(sealed.ciphertext).toString('hex'),
    organizationId,
    ...account,
  }
  return signBundle(data, signingKey)
}

export declare namespace importBundle {
  type Parameters = {
    /** 65 bytes, uncompressed. */
    targetPublicKey: Uint8Array
    organizationId: string
    /** Account of the importing user. */
    account: BundleAccount
    /** P-256 private key, 32 bytes. */
    signingKey: Uint8Array
  }
}

/**
 * Creates a signed import bundle (custody protocol § 4.5): a key for sealing the user's secret, and the user's account.
 * Returns JSON text.
 */
export function importBundle(parameters: importBundle.Parameters): string {
  const { targetPublicKey, organizationId, account, signingKey } = parameters
  const targetPublic = Buffer.from(targetPublicKey).toString('hex')
  const data: ImportBundleData = { targetPublic, organizationId, ...account }
  return signBundle(data, signingKey)
}

/**
 * Signs data for a frame with the service's P-256 key (custody protocol §§ 4.4, 4.5). The member order of `data` is
 * part of the layout: documented members first, then the account. Returns JSON text.
 */
function signBundle(data: Readonly<Record<string, string>>, signingKey: Uint8Array): string {
  const bytes = new TextEncoder().encode(JSON.stringify(data))
  const bundle: ExportBundle = {
    version: 'v1.0.0',
    data: Buffer.from(bytes).toString('hex'),
    // Deterministic signature (RFC 6979) over SHA-256 of the bytes.
    dataSignature: Buffer.from(p256.sign(bytes, signingKey, { format: 'der' })).toString('hex'),
    enclaveQuorumPublic: Buffer.from(p256.getPublicKey(signingKey, false)).toString('hex'),
  }
  return JSON.stringify(bundle)
}
