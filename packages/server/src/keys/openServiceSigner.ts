import { parseKey } from '../platform/crypto/parseKey.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { isKnownKey } from './isKnownKey.ts'
import type { KeyEncryption } from './keyEncryption.ts'
import { type KeyEncryptionOptions, knownKey, openKeyEncryption } from './openKeyEncryption.ts'
import { localServiceSigner, type ServiceSigner } from './serviceSigner.ts'

/**
 * A service's key. `secret`: 32 bytes in hex, from the environment or a secret store. `wrapped`: base64, as printed by
 * `latchkey-server wrap-paymaster-key`, which only the key service that wrapped it can unwrap. Use plain text only in
 * development.
 */
export type ServiceKeyOptions =
  | string
  | { type: 'secret'; key: string }
  | {
      type: 'wrapped'
      key: string
      keyEncryption: KeyEncryptionOptions
      /** Previous key encryptions, needed as long as one of them wraps `key`. */
      previousKeyEncryption?: readonly KeyEncryptionOptions[] | undefined
    }

/** A wrapped key can be unwrapped only as a paymaster's key. */
const aad = new TextEncoder().encode('latchkey paymaster key')

export declare namespace openServiceSigner {
  type Parameters = { key: ServiceKeyOptions; mode: 'production' | 'development' }
}

/**
 * Opens the signer of a service's key.
 *
 * @throws `CONFIG_INVALID`; in production also for a plain or known key; `KEY_SERVICE_FAILED`.
 */
export async function openServiceSigner({ key, mode }: openServiceSigner.Parameters): Promise<ServiceSigner> {
  if (typeof key === 'string') {
    if (mode === 'production')
      throw configInvalid(
        'A paymaster key in plain configuration is for development only. Hand it over as { type: "secret" } from the ' +
          'environment or a secret store (LATCHKEY_PAYMASTER_KEY), or wrap it: latchkey-server wrap-paymaster-key.',
      )
    return localServiceSigner({ key })
  }
  if (key.type === 'secret') return signer(key.key, mode)
  const keyEncryption = openKeyEncryption({ current: key.keyEncryption, previous: key.previousKeyEncryption, mode })
  const opened = await keyEncryption.unwrap(new Uint8Array(Buffer.from(key.key, 'base64')), aad)
  return signer(Buffer.from(opened).toString('hex'), mode)
}

function signer(key: string, mode: openServiceSigner.Parameters['mode']): ServiceSigner {
  if (mode === 'production' && isKnownKey(key)) throw knownKey('paymaster key')
  return localServiceSigner({ key })
}

/** Wraps a service's key and returns it as base64. `key`: 32 bytes, hex. */
export async function wrapServiceKey(keyEncryption: KeyEncryption, key: string): Promise<string> {
  // Rejects an invalid key before it is stored.
  localServiceSigner({ key })
  return Buffer.from(await keyEncryption.wrap(parseKey(key, 'The service key'), aad)).toString('base64')
}
