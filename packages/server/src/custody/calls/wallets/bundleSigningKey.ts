import { configInvalid } from '../../../platform/errors/ServerError.ts'
import type { CustodyContext } from '../../deps.ts'

/**
 * Returns the P-256 key that signs export and import bundles.
 * @throws `CONFIG_INVALID` if the server has none.
 */
export function requireBundleSigningKey({ bundleSigningKey }: CustodyContext): Uint8Array {
  if (bundleSigningKey) return bundleSigningKey
  throw configInvalid('This server cannot export or import: custody.bundleSigningKey is not set.')
}
