import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type ApiKeyStamp, stampSchemes } from 'latchkey/wire'
import { custodyError } from '../custodyError.ts'
import { isStrictDer } from './isStrictDer.ts'

/** SubjectPublicKeyInfo of a compressed P-256 point (RFC 5480), up to the point itself. */
const spkiPrefix = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex')
const maxHeaderLength = 4096

/**
 * Verifies an `X-Stamp` header over the exact body bytes (custody protocol § 1.1): ECDSA P-256 over SHA-256,
 * strict DER, any s. Answers the compressed public key, lower-case hex.
 *
 * @throws ServerError `SIGNATURE_INVALID` (401)
 */
export function verifyApiKeyStamp(header: string, body: Uint8Array): { publicKey: string } {
  const stamp = decode(header)
  if (stamp.scheme !== stampSchemes.p256)
    throw invalid(`The stamp's scheme is not supported. Use ${stampSchemes.p256}.`)
  const key = readPublicKey(stamp.publicKey)
  const signature = readHex(stamp.signature)
  if (!signature || !isStrictDer(signature)) throw invalid("The stamp's signature is not hex of a DER signature.")
  if (!verify('sha256', body, { key, dsaEncoding: 'der' }, signature))
    throw invalid('The stamp does not belong to this request body. Stamp the exact bytes that are sent.')
  return { publicKey: stamp.publicKey.toLowerCase() }
}

function decode(header: string): ApiKeyStamp {
  if (header.length > maxHeaderLength) throw invalid(`The stamp is longer than ${maxHeaderLength} characters.`)
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(header)) throw invalid('The stamp is not base64url.')
  let stamp: Partial<Record<keyof ApiKeyStamp, unknown>> | null
  try {
    const bytes = Buffer.from(header, 'base64url')
    stamp = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw invalid('The stamp is not base64url of JSON.', error)
  }
  const { publicKey, scheme, signature } = stamp ?? {}
  if (typeof publicKey !== 'string' || typeof scheme !== 'string' || typeof signature !== 'string')
    throw invalid('The stamp must hold the strings publicKey, scheme and signature.')
  return { publicKey, scheme, signature }
}

function readPublicKey(hex: string): KeyObject {
  const point = readHex(hex)
  if (point?.length !== 33 || (point[0] !== 2 && point[0] !== 3))
    throw invalid("The stamp's public key is not a compressed P-256 point in hex (66 digits).")
  try {
    return createPublicKey({ key: Buffer.concat([spkiPrefix, point]), format: 'der', type: 'spki' })
  } catch (error) {
    throw invalid("The stamp's public key is not a point of P-256.", error)
  }
}

function readHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text, 'hex') : undefined
}

function invalid(message: string, cause?: unknown) {
  return custodyError('SIGNATURE_INVALID', message, cause)
}
