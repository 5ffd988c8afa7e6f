import { createHash } from 'node:crypto'
import { readBase64 } from '../platform/crypto/encodings.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import type { Assertion } from './verifyAssertion.ts'

const maxHeaderLength = 8192

/** Returns the 64 ASCII characters of the body's SHA-256 in hex, not the 32 bytes (custody protocol § 1.2). */
export function webauthnChallenge(body: Uint8Array): Uint8Array {
  return new TextEncoder().encode(createHash('sha256').update(body).digest('hex'))
}

/**
 * Reads an `X-Stamp-Webauthn` header (custody protocol § 1.2): plain JSON with four base64url members.
 *
 * @throws `SIGNATURE_INVALID`.
 */
export function readWebauthnStamp(header: string): Assertion {
  if (header.length > maxHeaderLength) throw invalid(`The stamp is longer than ${maxHeaderLength} characters.`)
  let stamp: Record<string, unknown> | null
  try {
    stamp = JSON.parse(header)
  } catch (error) {
    throw invalid('The passkey stamp is not JSON.', error)
  }
  const read = (name: string): Uint8Array => {
    const value = stamp?.[name]
    const bytes = typeof value === 'string' ? readBase64(value) : undefined
    if (bytes) return bytes
    throw invalid(
      'The passkey stamp must hold authenticatorData, clientDataJson, credentialId and signature as base64url.',
    )
  }
  return {
    authenticatorData: read('authenticatorData'),
    clientDataJson: read('clientDataJson'),
    credentialId: Buffer.from(read('credentialId')).toString('base64url'),
    signature: read('signature'),
  }
}

function invalid(message: string, cause?: unknown): ServerError {
  return new ServerError(message, { code: 'SIGNATURE_INVALID', status: 401, cause })
}
