import { sha256 } from '@noble/hashes/sha2.js'
import { base64urlnopad, createBase58check } from '@scure/base'
import { openSealed } from '../bundles/hpke.ts'
import { FrameError } from '../FrameError.ts'
import { reshapePoint } from './p256.ts'

const base58check = createBase58check(sha256)
/** Characters that base58 does not have. */
const onlyBase64url = /[-_OIl0]/
const encLength = 33
/** Maximum length, eight times that of a credential. Links are untrusted, and decoding base58 takes quadratic time. */
const maxLength = 1000

/** Decrypts a credential bundle with the embedded key. Returns the 32-byte private scalar. */
export async function openBundle(bundle: string, embeddedKey: CryptoKeyPair): Promise<Uint8Array> {
  const { enc, ciphertext } = decodeBundle(bundle)
  const opened = await openSealed({ enc: uncompressed(enc), ciphertext, embeddedKey })
  if (opened.length !== 32) throw new FrameError('the bundle does not hold a P-256 key')
  return opened
}

function uncompressed(point: Uint8Array): Uint8Array {
  try {
    return reshapePoint(point, false)
  } catch (cause) {
    throw new FrameError('unable to decrypt bundle using embedded key: it was made for another browser or is damaged', {
      cause,
    })
  }
}

export type SealedCredential = {
  /** Sender's ephemeral key: compressed P-256 point, 33 bytes. */
  enc: Uint8Array
  ciphertext: Uint8Array
}

/**
 * Parses a credential bundle: a compressed encapsulated key and an HPKE ciphertext. The text is base58check, or
 * base64url if it contains characters that base58 does not have.
 */
export function decodeBundle(bundle: string): SealedCredential {
  if (bundle.length > maxLength) throw new FrameError('the bundle is too long to be a credential')
  const payload = decode(bundle)
  if (payload.length <= encLength) throw new FrameError('the bundle is too short to hold a credential')
  return { enc: payload.slice(0, encLength), ciphertext: payload.slice(encLength) }
}

function decode(bundle: string): Uint8Array {
  try {
    if (onlyBase64url.test(bundle)) return base64urlnopad.decode(bundle.replace(/=+$/, ''))
    return base58check.decode(bundle)
  } catch (cause) {
    throw new FrameError('the bundle is neither base58check nor base64url text', { cause })
  }
}
