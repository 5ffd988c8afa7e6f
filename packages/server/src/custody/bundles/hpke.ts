import { webcrypto } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { p256 } from '@noble/curves/nist.js'
import { hpkeInfo } from 'latchkey-protocol'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

export declare namespace hpkeSeal {
  type Parameters = {
    /** 65 bytes, uncompressed. */
    recipientPublicKey: Uint8Array
    plaintext: Uint8Array
    /** Only for tests against published vectors: reusing a key pair reveals the plaintext. */
    ephemeralKeys?: webcrypto.CryptoKeyPair | undefined
  }
  /** `enc`: 65 bytes, uncompressed; `ciphertext` ends with the 16-byte tag. */
  type ReturnType = { enc: Uint8Array; ciphertext: Uint8Array }
}

/**
 * Encrypts one message with HPKE (RFC 9180) base mode to a P-256 key, with the AAD `enc || recipient key`, both
 * uncompressed (custody protocol § 4.1).
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

export declare namespace hpkeOpen {
  type Parameters = hpkeSeal.ReturnType & {
    /** 32 bytes. */
    privateKey: Uint8Array
  }
}

/**
 * Decrypts a message that {@link hpkeSeal} sealed to a P-256 key. Returns undefined if it was sealed to another key or
 * modified. The caller wipes both secrets.
 */
export async function hpkeOpen(parameters: hpkeOpen.Parameters): Promise<Uint8Array | undefined> {
  const { enc, ciphertext, privateKey } = parameters
  const own = p256.getPublicKey(privateKey, false)
  const recipientKey = await importKeyPair(privateKey, own)
  try {
    const recipient = await suite.createRecipientContext({
      recipientKey,
      enc: Uint8Array.from(enc).buffer,
      info: new TextEncoder().encode(hpkeInfo).buffer,
    })
    return new Uint8Array(
      await recipient.open(Uint8Array.from(ciphertext).buffer, Uint8Array.of(...enc, ...own).buffer),
    )
  } catch {
    return undefined
  }
}

/**
 * Fixed bytes of a P-256 key in PKCS #8 (RFC 5208): the bytes before the 32-byte scalar, and the bytes between scalar
 * and point.
 */
const pkcs8Head = Buffer.from('308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420', 'hex')
const pkcs8Middle = Buffer.from('a144034200', 'hex')

/** Imports a key pair from bytes, since the strings of a JWK could not be wiped. */
async function importKeyPair(privateKey: Uint8Array, point: Uint8Array): Promise<webcrypto.CryptoKeyPair> {
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const pkcs8 = Uint8Array.of(...pkcs8Head, ...privateKey, ...pkcs8Middle, ...point)
  try {
    return {
      privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['deriveBits']),
      publicKey: await webcrypto.subtle.importKey('raw', Uint8Array.from(point), algorithm, true, []),
    }
  } finally {
    pkcs8.fill(0)
  }
}
