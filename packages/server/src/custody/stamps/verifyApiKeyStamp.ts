import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { type ApiKeyStamp, stampSchemes } from 'latchkey-protocol'
import { hashMessage } from 'viem'
import { isDerSignature, readBase64url, readHex } from '../../platform/crypto/encodings.ts'
import { custodyError } from '../custodyError.ts'

/** SubjectPublicKeyInfo of a compressed P-256 point (RFC 5480), up to the point itself. */
const p256Prefix = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex')
/** The equivalent prefix for secp256k1 (SEC 2 § 2.4.1). */
const secp256k1Prefix = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex')
const maxHeaderLength = 4096

const curves = { p256, secp256k1 }
export type Curve = keyof typeof curves

export declare namespace verifyApiKeyStamp {
  type ReturnType = {
    curve: Curve
    /** Compressed point, lower-case hex. */
    publicKey: string
    scheme: string
    /** DER, lower-case hex. */
    signature: string
  }
}

/**
 * Verifies an `X-Stamp` header over the exact body bytes (custody protocol § 1.1): ECDSA with P-256 or secp256k1 over
 * SHA-256, or with secp256k1 over the EIP-191 hash. The signature must be strict DER; high s values are valid.
 * @throws `SIGNATURE_INVALID`.
 */
export function verifyApiKeyStamp(header: string, body: Uint8Array): verifyApiKeyStamp.ReturnType {
  const stamp = decode(header)
  const scheme = Object.hasOwn(schemes, stamp.scheme) ? schemes[stamp.scheme] : undefined
  if (!scheme) throw invalid(`The stamp's scheme is not supported. Use ${Object.keys(schemes).join(' or ')}.`)
  const point = readHex(stamp.publicKey)
  if (point?.length !== 33 || (point[0] !== 2 && point[0] !== 3))
    throw invalid("The stamp's public key is not a compressed point in hex (66 digits).")
  const signature = readHex(stamp.signature)
  if (!signature || !isDerSignature(signature, curves[scheme.curve]))
    throw invalid("The stamp's signature is not hex of a DER signature.")
  if (!scheme.verify(point, body, signature))
    throw invalid('The stamp does not belong to this request body. Stamp the exact bytes that are sent.')
  return {
    curve: scheme.curve,
    publicKey: stamp.publicKey.toLowerCase(),
    scheme: stamp.scheme,
    signature: signature.toString('hex'),
  }
}

type Scheme = { curve: Curve; verify(point: Buffer, body: Uint8Array, signature: Buffer): boolean }

const schemes: Record<string, Scheme> = {
  [stampSchemes.p256]: {
    curve: 'p256',
    verify: (point, body, signature) => verify('sha256', body, readPoint(p256Prefix, point, 'P-256'), signature),
  },
  [stampSchemes.secp256k1]: {
    curve: 'secp256k1',
    verify: (point, body, signature) =>
      verify('sha256', body, readPoint(secp256k1Prefix, point, 'secp256k1'), signature),
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: {
    curve: 'secp256k1',
    verify(point, body, signature) {
      readPoint(secp256k1Prefix, point, 'secp256k1')
      const digest = hashMessage({ raw: body }, 'bytes')
      return secp256k1.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' })
    },
  },
}

function decode(header: string): ApiKeyStamp {
  if (header.length > maxHeaderLength) throw invalid(`The stamp is longer than ${maxHeaderLength} characters.`)
  const bytes = readBase64url(header)
  if (!bytes) throw invalid('The stamp is not base64url.')
  let stamp: Partial<Record<keyof ApiKeyStamp, unknown>> | null
  try {
    stamp = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw invalid('The stamp is not base64url of JSON.', error)
  }
  const { publicKey, scheme, signature } = stamp ?? {}
  if (typeof publicKey !== 'string' || typeof scheme !== 'string' || typeof signature !== 'string')
    throw invalid('The stamp must hold the strings publicKey, scheme and signature.')
  return { publicKey, scheme, signature }
}

/**
 * Cache of decompressed points, since decompressing a point costs more than verifying a signature. Drops the oldest
 * points first.
 */
const points = new Map<string, KeyObject>()
const maxPoints = 10_000

function readPoint(prefix: Buffer, point: Buffer, curve: string): KeyObject {
  const name = `${curve} ${point.toString('hex')}`
  const known = points.get(name)
  if (known) return known
  try {
    const key = createPublicKey({ key: Buffer.concat([prefix, point]), format: 'der', type: 'spki' })
    if (points.size >= maxPoints) for (const oldest of [...points.keys()].slice(0, 100)) points.delete(oldest)
    points.set(name, key)
    return key
  } catch (error) {
    throw invalid(`The stamp's public key is not a point of ${curve}.`, error)
  }
}

function invalid(message: string, cause?: unknown) {
  return custodyError('SIGNATURE_INVALID', message, cause)
}
