import { parseKey } from '../platform/crypto/parseKey.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { isKnownKey } from './isKnownKey.ts'
import type { KeyEncryption } from './keyEncryption.ts'
import { type KeyEncryptionOptions, knownKey, openKeyEncryption } from './openKeyEncryption.ts'
import { localServiceSigner, type ServiceSigner } from './serviceSigner.ts'

/**
 * A service's key. `secret`: 32 bytes in hex, handed over by the environment or a secret store. `wrapped`: base64, as
 * `latchkey-server wrap-paymaster-key` prints it; only the provider that wrapped it opens it. Plain text alone is for
 * development.
 */
export type ServiceKeyOptions =
  | string
  | { type: 'secret'; key: string }
  | {
      type: 'wrapped'
      key: string
      keyEncryption: KeyEncryptionOptions
      /** Those before it, while their wrapped key is still configured. */
      previousKeyEncryption?: readonly KeyEncryptionOptions[] | undefined
    }

/** A wrapped key opens as a paymaster's key and as nothing else. */
const aad = new TextEncoder().encode('latchkey paymaster key')

export declare namespace openServiceSigner {
  type Parameters = { key: ServiceKeyOptions; mode: 'production' | 'development' }
}

/**
 * The signer of a service's key.
 *
 * @throws `CONFIG_INVALID`, for a plain or a known key in production too; `KEY_SERVICE_FAILED`.
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

/** A service's key as `wrapped` takes it, base64. `key`: 32 bytes, hex. */
export async function wrapServiceKey(keyEncryption: KeyEncryption, key: string): Promise<string> {
  // Refuses what is no key before it is put away.
  localServiceSigner({ key })
  return Buffer.from(await keyEncryption.wrap(parseKey(key, 'The service key'), aad)).toString('base64')
}
