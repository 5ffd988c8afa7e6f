import { createECDH, randomBytes } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

export type Sealed = { bundle: string; base64url: string; publicKey: string }

/** A fresh API key sealed to a frame's key, as a custody service mails it. `publicKey`: compressed hex. */
export async function sealBundle(targetPublicKey: string, plaintext?: Uint8Array): Promise<Sealed> {
  const credential = createECDH('prime256v1')
  credential.generateKeys()
  const secret = plaintext ?? leftPad(credential.getPrivateKey())
  const target = Buffer.from(targetPublicKey, 'hex')
  const recipientPublicKey = await suite.kem.deserializePublicKey(new Uint8Array(target).buffer)
  const info = new TextEncoder().encode('turnkey_hpke').buffer
  const sender = await suite.createSenderContext({ recipientPublicKey, info })
  const enc = new Uint8Array(sender.enc)
  const ciphertext = await sender.seal(new Uint8Array(secret).buffer, new Uint8Array([...enc, ...target]).buffer)
  const compressed = new Uint8Array([((enc[64] ?? 0) & 1) === 0 ? 2 : 3, ...enc.subarray(1, 33)])
  const payload = new Uint8Array([...compressed, ...new Uint8Array(ciphertext)])
  return {
    bundle: createBase58check(sha256).encode(payload),
    base64url: Buffer.from(payload).toString('base64url'),
    publicKey: credential.getPublicKey('hex', 'compressed'),
  }
}

function leftPad(key: Buffer): Uint8Array {
  return new Uint8Array([...new Uint8Array(32 - key.length), ...key])
}

/** An uncompressed P-256 point without a known key. */
export function strangerPublicKey(): string {
  const key = createECDH('prime256v1')
  key.setPrivateKey(randomBytes(32))
  return key.getPublicKey('hex', 'uncompressed')
}
