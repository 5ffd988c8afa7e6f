import type { WebauthnStamp } from 'latchkey-protocol'
import { fromBase64url, toBase64url, toHex } from '../encoding.ts'
import type { PasskeyStampParameters } from '../platform.ts'
import { PasskeyUnsupportedError } from './errors.ts'
import { promptForPasskey, promptTimeoutMs } from './prompt.ts'

export declare namespace stampWithPasskey {
  type Parameters = PasskeyStampParameters
  type ReturnType = WebauthnStamp
}

/**
 * Signs a request body with a passkey (WebAuthn L3 § 5.1.4). The challenge is the SHA-256 hash of the body as 64 ASCII
 * characters of lower-case hex.
 *
 * @throws `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function stampWithPasskey(parameters: stampWithPasskey.Parameters): Promise<stampWithPasskey.ReturnType> {
  if (typeof PublicKeyCredential === 'undefined' || !navigator.credentials) throw new PasskeyUnsupportedError()
  const {
    body,
    rpId = window.location.hostname,
    credentialId,
    transports,
    signal,
    isConditional,
    isImmediate,
  } = parameters
  const publicKey: PublicKeyCredentialRequestOptions = {
    rpId,
    challenge: await toChallenge(body),
    allowCredentials: credentialId === undefined ? [] : [toDescriptor(credentialId, transports)],
    timeout: promptTimeoutMs,
    userVerification: 'preferred',
  }
  const credential = await promptForPasskey({
    doing: 'use',
    rpId,
    timeoutMs: promptTimeoutMs,
    isOffer: isConditional,
    signals: [signal],
    show: (either) =>
      navigator.credentials.get({
        publicKey,
        signal: either,
        ...(isConditional && { mediation: 'conditional' as const }),
        ...(isImmediate && { uiMode: 'immediate' }),
      }),
  })
  const response = credential.response as AuthenticatorAssertionResponse
  return {
    authenticatorData: toBase64url(response.authenticatorData),
    clientDataJson: toBase64url(response.clientDataJSON),
    credentialId: toBase64url(credential.rawId),
    signature: toBase64url(response.signature),
  }
}

/** Omits unknown transports: with wrong transports, the browser would not try a security key. */
function toDescriptor(credentialId: string, transports: readonly string[] | undefined): PublicKeyCredentialDescriptor {
  const known = transports && { transports: transports as AuthenticatorTransport[] }
  return { id: fromBase64url(credentialId), type: 'public-key', ...known }
}

async function toChallenge(body: string): Promise<Uint8Array<ArrayBuffer>> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))
  return new TextEncoder().encode(toHex(digest))
}

/**
 * Checks whether the browser supports prompts limited to passkeys on the device (WebAuthn, client capability
 * `immediateGet`).
 */
export async function hasImmediate(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') return false
  const { getClientCapabilities } = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  const capabilities: Readonly<Record<string, boolean>> | undefined =
    await getClientCapabilities?.call(PublicKeyCredential)
  return capabilities?.immediateGet ?? false
}

/** Checks whether the browser offers passkeys in the autofill of a form field (WebAuthn L3 § 5.1.7). */
export async function hasConditional(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') return false
  // Older browsers have `PublicKeyCredential` without this method.
  const { isConditionalMediationAvailable } = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  return (await isConditionalMediationAvailable?.call(PublicKeyCredential)) ?? false
}
