import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { p256 } from '@noble/curves/nist.js'
import { hpkeInfo } from 'latchkey/wire'
import { FrameError } from '../FrameError.ts'
import { decodeBundle } from './decodeBundle.ts'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/**
 * Opens a credential bundle with the embedded key and answers the 32-byte private scalar inside. RFC 9180 base mode,
 * one message; the additional data are both public keys, uncompressed, although the bundle carries the first compressed.
 */
export async function openBundle(bundle: string, embeddedKey: CryptoKeyPair): Promise<Uint8Array> {
  const { enc, ciphertext } = decodeBundle(bundle)
  let opened: ArrayBuffer
  try {
    const point = p256.Point.fromBytes(enc).toBytes(false)
    const recipient = new Uint8Array(await crypto.subtle.exportKey('raw', embeddedKey.publicKey))
    const aad = new Uint8Array([...point, ...recipient])
    const context = await suite.createRecipientContext({
      // The pair, because a private key that cannot be exported does not tell its public half.
      recipientKey: embeddedKey,
      enc: point.slice().buffer,
      info: new TextEncoder().encode(hpkeInfo).buffer,
    })
    opened = await context.open(ciphertext.slice().buffer, aad.buffer)
  } catch (cause) {
    throw new FrameError('unable to decrypt bundle using embedded key: it was made for another browser or is damaged', {
      cause,
    })
  }
  if (opened.byteLength !== 32) throw new FrameError('the bundle does not hold a P-256 key')
  return new Uint8Array(opened)
}
