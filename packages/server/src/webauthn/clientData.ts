import { readBase64 } from '../platform/crypto/encodings.ts'

export declare namespace checkClientData {
  type Parameters = {
    /** Client data as serialized by the client. */
    bytes: Uint8Array
    type: 'webauthn.create' | 'webauthn.get'
    /** Challenge that the page passed to the authenticator. */
    challenge: Uint8Array
    allowedOrigins: readonly string[]
  }
}

/**
 * Checks collected client data (WebAuthn L3 § 5.8.1): the steps that § 7.1 and § 7.2 share. Ignores unknown members.
 * Returns the problem as a sentence, or undefined.
 */
export function checkClientData(parameters: checkClientData.Parameters): string | undefined {
  const { type, challenge, allowedOrigins } = parameters
  // § 7.1 steps 5 and 6, § 7.2 steps 8 and 9.
  const client = readJson(parameters.bytes)
  if (!client) return 'The client data is not JSON.'
  // § 7.1 step 7, § 7.2 step 10.
  if (client.type !== type) return `The client data is not of type ${type}.`
  // § 7.1 step 8, § 7.2 step 11.
  const given = typeof client.challenge === 'string' ? readBase64(client.challenge) : undefined
  if (!given || Buffer.compare(given, challenge) !== 0) return 'The client data was made for another challenge.'
  // § 7.1 step 9, § 7.2 step 12.
  if (typeof client.origin !== 'string' || !allowedOrigins.includes(client.origin))
    return 'The passkey was used on an origin that is not registered. Register the origin of the page.'
  // § 7.1 steps 10 and 11, § 7.2 steps 13 and 14: a page inside a page of another origin is accepted only if that
  // origin is also allowed.
  if (client.crossOrigin !== true && client.topOrigin === undefined) return undefined
  if (typeof client.topOrigin !== 'string' || !allowedOrigins.includes(client.topOrigin))
    return 'The passkey was used inside a page of an origin that is not registered.'
  return undefined
}

function readJson(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
