import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'

const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts by AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce. Layout: version `01` (1) | nonce (12) |
 * ciphertext | tag (16). `aad` binds the box to where it is stored.
 */
export function seal(key: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array {
  assertKey(key)
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(aad)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return new Uint8Array(Buffer.concat([Uint8Array.of(1), nonce, ciphertext, cipher.getAuthTag()]))
}

/**
 * Opens a box of {@link seal}.
 *
 * @throws `INTERNAL` if key, aad or bytes do not match, without saying which.
 */
export function open(key: Uint8Array, box: Uint8Array, aad: Uint8Array): Uint8Array {
  assertKey(key)
  try {
    if (box[0] !== 1 || box.length < 1 + nonceBytes + tagBytes) throw new TypeError('unknown box version')
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(1, 1 + nonceBytes))
    decipher.setAAD(aad)
    decipher.setAuthTag(box.subarray(-tagBytes))
    const opened = decipher.update(box.subarray(1 + nonceBytes, -tagBytes))
    decipher.final()
    return opened
  } catch (error) {
    throw new ServerError('A sealed value cannot be opened: wrong key, or the value was changed.', {
      code: 'INTERNAL',
      status: 500,
      cause: error,
    })
  }
}

function assertKey(key: Uint8Array): void {
  if (key.length !== 32) throw configInvalid('A sealing key must be 32 bytes (64 hex digits).')
}
