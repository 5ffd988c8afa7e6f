import { headers } from 'latchkey/wire'
import { custodyError } from '../custodyError.ts'
import { verifyApiKeyStamp } from './apiKey.ts'

/**
 * Verifies the stamp of a request over its exact body bytes, whichever header carries it, and answers what
 * identifies the credential. Exactly one stamp header is allowed.
 *
 * @throws ServerError `SIGNATURE_MISSING` | `SIGNATURE_INVALID` (401) | `REQUEST_INVALID` (400)
 */
export function verifyStamp(requestHeaders: Headers, body: Uint8Array): verifyStamp.ReturnType {
  const apiKey = requestHeaders.get(headers.apiKeyStamp)
  const webauthn = requestHeaders.get(headers.webauthnStamp)
  if (apiKey !== null && webauthn !== null)
    throw custodyError('REQUEST_INVALID', 'The request has two stamps. Send only one.')
  if (webauthn !== null)
    throw custodyError(
      'REQUEST_INVALID',
      `Passkey stamps are not supported by this server yet. Stamp the request with an API key (${headers.apiKeyStamp}).`,
    )
  if (apiKey === null)
    throw custodyError('SIGNATURE_MISSING', `The request has no stamp. Send it in the header ${headers.apiKeyStamp}.`)
  const { publicKey } = verifyApiKeyStamp(apiKey, body)
  return { kind: 'api_key', publicKey, text: `${headers.apiKeyStamp}: ${apiKey}` }
}

export declare namespace verifyStamp {
  type ReturnType = {
    kind: 'api_key'
    /** Compressed P-256 point, hex. */
    publicKey: string
    /** Header line, kept with the activity it authorised. */
    text: string
  }
}
