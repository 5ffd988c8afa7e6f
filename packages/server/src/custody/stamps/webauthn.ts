import { custodyError } from '../custodyError.ts'
import { readBase64url } from '../webauthn/base64url.ts'
import type { Assertion } from '../webauthn/verifyAssertion.ts'

const maxHeaderLength = 8192

/**
 * Reads an `X-Stamp-Webauthn` header (custody protocol § 1.2): plain JSON with four base64url members.
 *
 * @throws ServerError `SIGNATURE_INVALID` (401)
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
    const bytes = typeof value === 'string' ? readBase64url(value) : undefined
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

function invalid(message: string, cause?: unknown) {
  return custodyError('SIGNATURE_INVALID', message, cause)
}
