import { webcrypto } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

export async function openBundle(bundle: string, targetPrivateKey: Uint8Array): Promise<Uint8Array> {
  const payload = createBase58check(sha256).decode(bundle)
  const enc = p256.Point.fromBytes(payload.subarray(0, 33)).toBytes(false)
  return openSealed({ enc, ciphertext: payload.subarray(33) }, targetPrivateKey)
}

/** Decrypts data that was encrypted to a frame's embedded key. `enc` is uncompressed. */
export async function openSealed(
  { enc, ciphertext }: { enc: Uint8Array; ciphertext: Uint8Array },
  targetPrivateKey: Uint8Array,
): Promise<Uint8Array> {
  const own = p256.getPublicKey(targetPrivateKey, false)
  const recipient = await suite.createRecipientContext({
    recipientKey: await importPrivateKey(targetPrivateKey, own),
    enc: Uint8Array.from(enc).buffer,
    info: new TextEncoder().encode('turnkey_hpke').buffer,
  })
  const aad = Uint8Array.of(...enc, ...own)
  return new Uint8Array(await recipient.open(Uint8Array.from(ciphertext).buffer, aad.buffer))
}

function importPrivateKey(privateKey: Uint8Array, point: Uint8Array): Promise<webcrypto.CryptoKey> {
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: base64url(privateKey),
    x: base64url(point.subarray(1, 33)),
    y: base64url(point.subarray(33)),
  }
  return webcrypto.subtle.importKey('jwk', jwk, { name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
}
