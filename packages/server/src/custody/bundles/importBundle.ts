import { signBundle } from './signBundle.ts'

/**
 * Import bundle (custody protocol § 4.5): the key that a user may seal a secret to, signed so that nobody can put an own
 * key in its place. Answers JSON text.
 */
export function importBundle(parameters: importBundle.Parameters): string {
  const { targetPublicKey, organizationId, userId, signingKey } = parameters
  const targetPublic = Buffer.from(targetPublicKey).toString('hex')
  return signBundle({ targetPublic, organizationId, userId }, signingKey)
}

export declare namespace importBundle {
  type Parameters = {
    /** 65 bytes, uncompressed. */
    targetPublicKey: Uint8Array
    organizationId: string
    userId: string
    /** P-256 private key, 32 bytes. */
    signingKey: Uint8Array
  }
}
