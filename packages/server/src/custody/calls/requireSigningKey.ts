import { ServerError } from '../../http/ServerError.ts'
import type { CustodyContext } from '../deps.ts'

/**
 * The P-256 key that signs bundles.
 *
 * @throws ServerError `CONFIG_INVALID` (500) when the server has none
 */
export function requireSigningKey(context: CustodyContext): Uint8Array {
  if (context.bundleSigningKey) return context.bundleSigningKey
  throw new ServerError('This server cannot export or import: custody.bundleSigningKey is not set.', {
    code: 'CONFIG_INVALID',
    status: 500,
  })
}
