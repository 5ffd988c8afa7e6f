import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { hpkeInfo } from 'latchkey/wire'

/** RFC 9180: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM; every bundle is one message of base mode. */
export const hpkeSuite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
})

export const hpkeInfoBytes = new TextEncoder().encode(hpkeInfo)

/** Additional data of a bundle: both public keys, uncompressed. */
export function bundleAad(enc: Uint8Array, recipient: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...enc, ...recipient])
}
