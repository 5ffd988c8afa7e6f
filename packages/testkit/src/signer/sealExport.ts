import { createECDH, createPrivateKey, sign } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })
const hex = (bytes: ArrayBuffer | Uint8Array) => Buffer.from(new Uint8Array(bytes)).toString('hex')

/** A secret sealed to an export frame's key and signed, as a custody service returns it. `signingKey`: 32 bytes, hex. */
export async function sealExport(parameters: {
  targetPublicKey: string
  organizationId: string
  secret: Uint8Array
  signingKey: string
  /** Whose it is, as our custody says. */
  account?: object
}): Promise<string> {
  const { targetPublicKey, organizationId, secret, signingKey, account } = parameters
  const target = Buffer.from(targetPublicKey, 'hex')
  const recipientPublicKey = await suite.kem.deserializePublicKey(new Uint8Array(target).buffer)
  const info = new TextEncoder().encode('turnkey_hpke').buffer
  const sender = await suite.createSenderContext({ recipientPublicKey, info })
  const enc = new Uint8Array(sender.enc)
  const ciphertext = await sender.seal(new Uint8Array(secret).buffer, new Uint8Array([...enc, ...target]).buffer)
  const data = { encappedPublic: hex(enc), ciphertext: hex(ciphertext), organizationId, ...account }
  return signExport(Buffer.from(JSON.stringify(data), 'utf8'), signingKey)
}

/** Any data as a signed export bundle. */
export function signExport(data: Uint8Array, signingKey: string): string {
  const point = derivePublicKey(signingKey)
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: Buffer.from(signingKey, 'hex').toString('base64url'),
      x: Buffer.from(point.slice(2, 66), 'hex').toString('base64url'),
      y: Buffer.from(point.slice(66), 'hex').toString('base64url'),
    },
  })
  return JSON.stringify({
    version: 'v1.0.0',
    data: hex(data),
    dataSignature: sign('sha256', data, { key, dsaEncoding: 'der' }).toString('hex'),
    enclaveQuorumPublic: point,
  })
}

/** Uncompressed point of a P-256 scalar, 130 hex digits. */
export function derivePublicKey(privateKey: string): string {
  const key = createECDH('prime256v1')
  key.setPrivateKey(privateKey, 'hex')
  return key.getPublicKey('hex', 'uncompressed')
}
