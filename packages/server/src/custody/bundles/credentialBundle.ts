import type { webcrypto } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { hpkeSeal } from './hpke.ts'

const base58check = createBase58check(sha256)

export declare namespace credentialBundle {
  type Parameters = {
    /** 65 bytes, uncompressed. */
    targetPublicKey: Uint8Array
    /** 32 bytes, big-endian. */
    privateKey: Uint8Array
    ephemeralKeys?: webcrypto.CryptoKeyPair | undefined
  }
}

/**
 * Creates a credential bundle (custody protocol § 4.3): the private scalar of a session key, sealed to a frame's
 * embedded key. Returns base58check of the compressed encapsulated key and the ciphertext: 115 to 117 characters, safe
 * in a URL.
 */
export async function credentialBundle(parameters: credentialBundle.Parameters): Promise<string> {
  const { enc, ciphertext } = await hpkeSeal({
    recipientPublicKey: parameters.targetPublicKey,
    plaintext: parameters.privateKey,
    ephemeralKeys: parameters.ephemeralKeys,
  })
  const compressed = p256.Point.fromBytes(enc).toBytes(true)
  return base58check.encode(Uint8Array.of(...compressed, ...ciphertext))
}
