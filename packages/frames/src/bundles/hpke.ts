import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { hex } from '@scure/base'
import { hpkeInfo } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'

/** RFC 9180: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. Each bundle is one message in base mode. */
const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
const info = new TextEncoder().encode(hpkeInfo).buffer

export declare namespace openSealed {
  type Parameters = {
    /** Sender's ephemeral key: uncompressed P-256 point, 65 bytes. */
    enc: Uint8Array
    ciphertext: Uint8Array
    embeddedKey: CryptoKeyPair
  }
  type ReturnType = Uint8Array
}

/** Decrypts a message that was encrypted to the frame's key. */
export async function openSealed(parameters: openSealed.Parameters): Promise<openSealed.ReturnType> {
  const { enc, ciphertext, embeddedKey } = parameters
  try {
    const recipient = new Uint8Array(await crypto.subtle.exportKey('raw', embeddedKey.publicKey))
    const context = await suite.createRecipientContext({
      // The library needs the whole pair, because it cannot derive the public key of a non-extractable private key.
      recipientKey: embeddedKey,
      enc: enc.slice().buffer,
      info,
    })
    return new Uint8Array(await context.open(ciphertext.slice().buffer, additionalData(enc, recipient)))
  } catch (cause) {
    throw new FrameError('unable to decrypt bundle using embedded key: it was made for another browser or is damaged', {
      cause,
    })
  }
}

/**
 * Encrypts a secret to custody's key for this import (uncompressed P-256 point, 65 bytes). Returns the encrypted bundle
 * as JSON text, and overwrites the secret.
 */
export async function sealSecret(secret: Uint8Array, targetPublicKey: Uint8Array): Promise<string> {
  try {
    const recipientPublicKey = await suite.kem.deserializePublicKey(targetPublicKey.slice().buffer)
    const sender = await suite.createSenderContext({ recipientPublicKey, info })
    const enc = new Uint8Array(sender.enc)
    const ciphertext = await sender.seal(secret.slice().buffer, additionalData(enc, targetPublicKey))
    return JSON.stringify({ encappedPublic: hex.encode(enc), ciphertext: hex.encode(new Uint8Array(ciphertext)) })
  } catch (cause) {
    throw new FrameError('the import bundle holds a key that nothing can be sealed to', { cause })
  } finally {
    secret.fill(0)
  }
}

/** Returns the additional data of a bundle: both public keys, uncompressed. */
function additionalData(enc: Uint8Array, recipient: Uint8Array): ArrayBuffer {
  return new Uint8Array([...enc, ...recipient]).buffer
}
