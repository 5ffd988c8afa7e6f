import { base64urlnopad, hex } from '@scure/base'
import { type ApiKeyStamp, stampSchemes } from 'latchkey-protocol'
import { toDer } from '../bundles/der.ts'
import { FrameError } from '../FrameError.ts'
import { publicPoint, reshapePoint } from './p256.ts'

/** Non-extractable signing key in memory. */
export type Credential = {
  key: CryptoKey
  /** Public key of the same pair. */
  verifyingKey: CryptoKey
  /** Compressed SEC1 point, hex. */
  publicKey: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** Imports a 32-byte P-256 scalar as a signing key, and overwrites the scalar. */
export async function importCredential(scalar: Uint8Array): Promise<Credential> {
  const point = derivePoint(scalar)
  const jwk: JsonWebKey = {
    kty: 'EC',
    crv: 'P-256',
    d: base64urlnopad.encode(scalar),
    x: base64urlnopad.encode(point.slice(1, 33)),
    y: base64urlnopad.encode(point.slice(33)),
  }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
  const verifyingKey = await crypto.subtle.importKey('raw', new Uint8Array(point), algorithm, true, ['verify'])
  scalar.fill(0)
  return { key, verifyingKey, publicKey: hex.encode(reshapePoint(point, true)) }
}

function derivePoint(scalar: Uint8Array): Uint8Array {
  try {
    return publicPoint(scalar)
  } catch (cause) {
    throw new FrameError('the bundle does not hold a P-256 key', { cause })
  }
}

/**
 * Returns the `X-Stamp` header for the exact text of a body: base64url of a JSON object whose signature is ECDSA P-256
 * over SHA-256, DER, hex.
 */
export async function stampBody(credential: Credential, body: string): Promise<string> {
  const raw = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    credential.key,
    new TextEncoder().encode(body),
  )
  const stamp: ApiKeyStamp = {
    publicKey: credential.publicKey,
    scheme: stampSchemes.p256,
    signature: hex.encode(toDer(new Uint8Array(raw))),
  }
  return base64urlnopad.encode(new TextEncoder().encode(JSON.stringify(stamp)))
}
