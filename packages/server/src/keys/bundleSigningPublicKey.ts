import { p256 } from '@noble/curves/nist.js'
import { parseKey } from '../platform/crypto/parseKey.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'

/**
 * Returns the public key for signed export bundles, as the export page pins it: uncompressed P-256 point, 130 hex
 * digits. `privateKey`: 32 bytes in hex, with or without `0x`.
 *
 * @throws `CONFIG_INVALID`.
 *
 * @example
 * ```ts
 * import { bundleSigningPublicKey } from 'latchkey-server'
 *
 * const pinned = bundleSigningPublicKey(process.env.BUNDLE_SIGNING_KEY ?? '')
 * ```
 */
export function bundleSigningPublicKey(privateKey: string): string {
  const scalar = parseKey(privateKey, 'bundleSigningKey')
  if (p256.utils.isValidSecretKey(scalar)) return Buffer.from(p256.getPublicKey(scalar, false)).toString('hex')
  throw configInvalid('bundleSigningKey must be a private key of P-256: not zero, and below its order.')
}
