import { headers } from 'latchkey-protocol'
import type { Assertion } from '../../webauthn/verifyAssertion.ts'
import { readWebauthnStamp, webauthnChallenge } from '../../webauthn/webauthnStamp.ts'
import { custodyError } from '../custodyError.ts'
import { type Curve, verifyApiKeyStamp } from './verifyApiKeyStamp.ts'

const webauthnScheme = 'SIGNATURE_SCHEME_TK_API_WEBAUTHN'

export declare namespace verifyStamp {
  /** `text`: the header line, which the log stores with the activity. `signature`: hex. */
  type ReturnType = { scheme: string; signature: string; text: string } & (
    | { kind: 'api_key'; curve: Curve /** Compressed point, hex. */; publicKey: string }
    | { kind: 'passkey'; assertion: Assertion /** Data that the passkey must have signed. */; challenge: Uint8Array }
  )
}

/**
 * Reads a request's stamp, which covers the exact body bytes, from its only stamp header. Verifies the signature of an
 * API key, whose public key is in the stamp. `findCaller` verifies the signature of a passkey after reading its public
 * key. Only `findCaller` turns a stamp into a caller.
 *
 * @throws `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `REQUEST_INVALID`.
 */
export function verifyStamp(requestHeaders: Headers, body: Uint8Array): verifyStamp.ReturnType {
  const apiKey = requestHeaders.get(headers.apiKeyStamp)
  const webauthn = requestHeaders.get(headers.webauthnStamp)
  if (apiKey !== null && webauthn !== null)
    throw custodyError('REQUEST_INVALID', 'The request has two stamps. Send only one.')
  if (webauthn !== null) {
    const assertion = readWebauthnStamp(webauthn)
    return {
      kind: 'passkey',
      assertion,
      challenge: webauthnChallenge(body),
      scheme: webauthnScheme,
      signature: Buffer.from(assertion.signature).toString('hex'),
      text: `${headers.webauthnStamp}: ${webauthn}`,
    }
  }
  if (apiKey === null)
    throw custodyError(
      'SIGNATURE_MISSING',
      `The request has no stamp. Send it in the header ${headers.apiKeyStamp} or ${headers.webauthnStamp}.`,
    )
  return { kind: 'api_key', ...verifyApiKeyStamp(apiKey, body), text: `${headers.apiKeyStamp}: ${apiKey}` }
}

/** Runs {@link verifyStamp} on a header line from the log. */
export function verifyLoggedStamp(text: string, body: Uint8Array): verifyStamp.ReturnType {
  const [name = '', value = ''] = text.split(/: (.*)/s)
  return verifyStamp(new Headers([[name, value]]), body)
}
