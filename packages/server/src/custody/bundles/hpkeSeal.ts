import type { webcrypto } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { hpkeInfo } from 'latchkey/wire'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/**
 * HPKE (RFC 9180) base mode to a P-256 key, one message, with the AAD `enc || recipient key`, both uncompressed
 * (custody protocol § 4.1).
 */
export async function hpkeSeal(parameters: hpkeSeal.Parameters): Promise<hpkeSeal.ReturnType> {
  const recipientBytes = Uint8Array.from(parameters.recipientPublicKey)
  const recipientPublicKey = await suite.kem.deserializePublicKey(recipientBytes.buffer)
  const info = new TextEncoder().encode(hpkeInfo)
  const { ephemeralKeys } = parameters
  const sender = await suite.createSenderContext({
    recipientPublicKey,
    info: info.buffer,
    ...(ephemeralKeys ? { ekm: ephemeralKeys } : {}),
  })
  const enc = new Uint8Array(sender.enc)
  const aad = Uint8Array.of(...enc, ...recipientBytes)
  const plaintext = Uint8Array.from(parameters.plaintext)
  try {
    return { enc, ciphertext: new Uint8Array(await sender.seal(plaintext.buffer, aad.buffer)) }
  } finally {
    plaintext.fill(0)
  }
}

export declare namespace hpkeSeal {
  type Parameters = {
    /** 65 bytes, uncompressed. */
    recipientPublicKey: Uint8Array
    plaintext: Uint8Array
    /** Only to check against published vectors: a key pair used twice gives the plaintext away. */
    ephemeralKeys?: webcrypto.CryptoKeyPair | undefined
  }
  /** `enc`: 65 bytes, uncompressed; `ciphertext` ends in the 16-byte tag. */
  type ReturnType = { enc: Uint8Array; ciphertext: Uint8Array }
}
