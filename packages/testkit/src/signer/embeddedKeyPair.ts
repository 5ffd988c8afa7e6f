import { createECDH } from 'node:crypto'

/** Imports a P-256 scalar (hex) as a non-extractable key pair, like that of a frame. */
export async function embeddedKeyPair(privateKey: string): Promise<CryptoKeyPair> {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(Buffer.from(privateKey, 'hex'))
  const point = ecdh.getPublicKey()
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x, y }
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const d = Buffer.from(privateKey, 'hex').toString('base64url')
  return {
    publicKey: await crypto.subtle.importKey('jwk', jwk, algorithm, true, []),
    privateKey: await crypto.subtle.importKey('jwk', { ...jwk, d }, algorithm, false, ['deriveBits']),
  }
}
