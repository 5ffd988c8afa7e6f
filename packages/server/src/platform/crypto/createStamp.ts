import { p256 } from '@noble/curves/nist.js'
import { type ApiKeyStamp, headers, type Stamp, stampSchemes } from 'latchkey-protocol'

export declare namespace createStamp {
  type ApiKey = { publicKey: string; privateKey: string }
}

/**
 * Stamps exact body bytes with a P-256 API key: ECDSA over SHA-256 of the body, DER, in base64url JSON (custody
 * protocol § 1.1). Stamping the same body twice gives two different stamps. Keys are hex: compressed public point,
 * 32-byte private scalar.
 */
export function createStamp(body: string | Uint8Array, apiKey: createStamp.ApiKey): Stamp {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const privateKey = Buffer.from(apiKey.privateKey.replace(/^0x/, ''), 'hex')
  const signature = p256.sign(bytes, privateKey, { prehash: true, format: 'der', extraEntropy: true })
  const stamp: ApiKeyStamp = {
    publicKey: apiKey.publicKey,
    scheme: stampSchemes.p256,
    signature: Buffer.from(signature).toString('hex'),
  }
  return {
    stampHeaderName: headers.apiKeyStamp,
    stampHeaderValue: Buffer.from(JSON.stringify(stamp), 'utf8').toString('base64url'),
  }
}
