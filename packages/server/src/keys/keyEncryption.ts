import { createHash } from 'node:crypto'
import { parseKey } from '../platform/crypto/parseKey.ts'
import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { open, seal } from './seal.ts'

/** Wraps data keys, optionally by a KMS or HSM; only ciphertext is stored. Unwrapping requires the same `aad`. */
export type KeyEncryption = {
  wrap(dek: Uint8Array, aad: Uint8Array): Promise<Uint8Array>
  unwrap(wrapped: Uint8Array, aad: Uint8Array): Promise<Uint8Array>
  /** Returns whether this key encryption wrapped the data key, under any version of its own key. */
  owns(wrapped: Uint8Array): boolean
  /** Returns whether a data key is wrapped under the current key; `latchkey-server rotate-keys` re-wraps the others. */
  isCurrent(wrapped: Uint8Array): Promise<boolean>
}

const idBytes = 4

export declare namespace localKeyEncryption {
  type Options = {
    /** 32 bytes, hex. */
    key: string
  }
}

/**
 * Returns key encryption with a key in this process: for a laptop, or for a server whose secret store provides the key
 * at start. Layout: key id (4 bytes of the key's SHA-256) | box of `seal`. The id serves only to detect a changed key.
 */
export function localKeyEncryption(options: localKeyEncryption.Options): KeyEncryption {
  const key = parseKey(options.key, 'The key-encryption key')
  const id = createHash('sha256').update('latchkey key id').update(key).digest().subarray(0, idBytes)
  const owns = (wrapped: Uint8Array) => id.equals(wrapped.subarray(0, idBytes))
  return {
    async wrap(dek, aad) {
      return new Uint8Array(Buffer.concat([id, seal(key, dek, aad)]))
    },
    async unwrap(wrapped, aad) {
      if (!owns(wrapped)) throw unknownKey()
      return open(key, wrapped.subarray(idBytes), aad)
    },
    owns,
    isCurrent: async (wrapped) => owns(wrapped),
  }
}

/**
 * Wraps with `current`, and also unwraps data keys of `previous`. The key can thus change while the server runs and
 * re-wraps stored keys one by one.
 */
export function chainKeyEncryption(current: KeyEncryption, previous: readonly KeyEncryption[]): KeyEncryption {
  if (previous.length === 0) return current
  const all = [current, ...previous]
  return {
    wrap: current.wrap,
    async unwrap(wrapped, aad) {
      const owner = all.find((candidate) => candidate.owns(wrapped))
      if (!owner) throw unknownKey()
      return owner.unwrap(wrapped, aad)
    },
    owns: (wrapped) => all.some((candidate) => candidate.owns(wrapped)),
    isCurrent: async (wrapped) => current.owns(wrapped) && (await current.isCurrent(wrapped)),
  }
}

function unknownKey(): ServerError {
  return configInvalid('The stored keys were wrapped by another key-encryption key. Start with that one.')
}
