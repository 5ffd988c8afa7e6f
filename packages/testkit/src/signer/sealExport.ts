import { createECDH, createPrivateKey, sign } from 'node:crypto'
import { hpkeSeal } from '../../../server/src/custody/bundles/hpke.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Encrypts a secret to an export frame's key and signs it with `signingKey` (32 bytes, hex), like custody. */
export async function sealExport(parameters: {
  targetPublicKey: string
  organizationId: string
  secret: Uint8Array
  signingKey: string
  /** Account to add to the bundle, as Latchkey's custody does. */
  account?: object
}): Promise<string> {
  const { targetPublicKey, organizationId, secret, signingKey, account } = parameters
  const recipientPublicKey = Buffer.from(targetPublicKey, 'hex')
  const { enc, ciphertext } = await hpkeSeal({ recipientPublicKey, plaintext: new Uint8Array(secret) })
  const data = { encappedPublic: hex(enc), ciphertext: hex(ciphertext), organizationId, ...account }
  return signExport(Buffer.from(JSON.stringify(data), 'utf8'), signingKey)
}

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

/** Returns the public key of a P-256 scalar as an uncompressed point in 130 hex digits. */
export function derivePublicKey(privateKey: string): string {
  const key = createECDH('prime256v1')
  key.setPrivateKey(privateKey, 'hex')
  return key.getPublicKey('hex', 'uncompressed')
}
