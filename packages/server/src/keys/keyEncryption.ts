import { createHash } from 'node:crypto'
import { ServerError } from '../http/ServerError.ts'
import { parseKey } from './parseKey.ts'
import { open, seal } from './seal.ts'

/** Wraps data keys. A KMS or HSM fits behind it; only ciphertext is stored. `aad` must be the same both times. */
export type KeyEncryption = {
  wrap(dek: Uint8Array, aad: Uint8Array): Promise<Uint8Array>
  unwrap(wrapped: Uint8Array, aad: Uint8Array): Promise<Uint8Array>
}

const idBytes = 4

/**
 * Key encryption with a key held by this process: for a laptop, or where a secret store hands it over at start.
 * Layout: key id (4, from SHA-256 of the key) | box of `seal`. The id only makes a changed key recognisable.
 */
export function localKeyEncryption(options: localKeyEncryption.Options): KeyEncryption {
  const key = parseKey(options.key, 'The key-encryption key')
  const id = createHash('sha256').update('latchkey key id').update(key).digest().subarray(0, idBytes)
  return {
    async wrap(dek, aad) {
      return new Uint8Array(Buffer.concat([id, seal(key, dek, aad)]))
    },
    async unwrap(wrapped, aad) {
      if (!id.equals(wrapped.subarray(0, idBytes)))
        throw new ServerError('The stored keys were wrapped by another key-encryption key. Start with that one.', {
          code: 'CONFIG_INVALID',
          status: 500,
        })
      return open(key, wrapped.subarray(idBytes), aad)
    },
  }
}

export declare namespace localKeyEncryption {
  type Options = {
    /** 32 bytes, hex. */
    key: string
  }
}
