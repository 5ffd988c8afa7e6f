import { webcrypto } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'

/** Imports a P-256 private key in hex as a WebCrypto key pair for HPKE. */
export async function importKeys(privateHex: string): Promise<webcrypto.CryptoKeyPair> {
  const scalar = Buffer.from(privateHex, 'hex')
  const point = Buffer.from(p256.getPublicKey(scalar, false))
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const d = scalar.toString('base64url')
  const privateKey = await webcrypto.subtle.importKey('jwk', { ...jwk, d }, algorithm, true, ['deriveBits'])
  const publicKey = await webcrypto.subtle.importKey('jwk', jwk, algorithm, true, [])
  return { privateKey, publicKey }
}
