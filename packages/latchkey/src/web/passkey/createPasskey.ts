import type { Attestation, AuthenticatorTransport } from 'latchkey-protocol'
import { passkeyName } from '../../core/passkeyName.ts'
import { toBase64url } from '../encoding.ts'
import type { NewPasskey, PasskeyCreateParameters, PasskeyForgetParameters } from '../platform.ts'
import { PasskeyTransportUnknownError, PasskeyUnsupportedError, passkeyError } from './errors.ts'
import { isPublicKeyCredential } from './prompt.ts'

export declare namespace createPasskey {
  type Parameters = PasskeyCreateParameters
  type ReturnType = NewPasskey
}

const transports: ReadonlyMap<string, AuthenticatorTransport> = new Map([
  ['ble', 'AUTHENTICATOR_TRANSPORT_BLE'],
  ['hybrid', 'AUTHENTICATOR_TRANSPORT_HYBRID'],
  ['internal', 'AUTHENTICATOR_TRANSPORT_INTERNAL'],
  ['nfc', 'AUTHENTICATOR_TRANSPORT_NFC'],
  ['usb', 'AUTHENTICATOR_TRANSPORT_USB'],
])
const defaultTransports: AuthenticatorTransport[] = [
  'AUTHENTICATOR_TRANSPORT_INTERNAL',
  'AUTHENTICATOR_TRANSPORT_HYBRID',
]

/**
 * Asks the browser for a new passkey (WebAuthn L3 § 5.1.3): discoverable and with user verification if the
 * authenticator supports it, ES256 or RS256.
 *
 * @throws `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_TRANSPORT_UNKNOWN`, `PASSKEY_UNSUPPORTED`.
 */
export async function createPasskey(parameters: createPasskey.Parameters): Promise<createPasskey.ReturnType> {
  if (typeof PublicKeyCredential === 'undefined' || !navigator.credentials) throw new PasskeyUnsupportedError()
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  const publicKey = creationOptions(parameters, challenge)
  const began = performance.now()
  let credential: Credential | null
  try {
    credential = await navigator.credentials.create({
      publicKey,
      ...withSignals(parameters.signal, parameters.options?.signal),
    })
  } catch (cause) {
    throw passkeyError(cause, {
      doing: 'create',
      rpId: publicKey.rp.id,
      tookMs: performance.now() - began,
      timeoutMs: publicKey.timeout,
    })
  }
  if (!isPublicKeyCredential(credential)) throw new PasskeyUnsupportedError()
  return { challenge: toBase64url(challenge), attestation: toAttestation(credential) }
}

function creationOptions(
  { rpId = window.location.hostname, username = passkeyName(rpId, new Date()), options }: createPasskey.Parameters,
  challenge: Uint8Array<ArrayBuffer>,
): PublicKeyCredentialCreationOptions {
  const given = (options?.publicKey ?? {}) as Partial<PublicKeyCredentialCreationOptions>
  return {
    ...given,
    challenge,
    pubKeyCredParams: [
      { alg: -7, type: 'public-key' },
      { alg: -257, type: 'public-key' },
    ],
    rp: { id: rpId, name: rpId, ...given.rp },
    user: { id: crypto.getRandomValues(new Uint8Array(32)), name: username, displayName: username, ...given.user },
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: 'preferred',
      ...given.authenticatorSelection,
    },
  }
}

function toAttestation({ rawId, response }: PublicKeyCredential): Attestation {
  const made = response as AuthenticatorAttestationResponse
  return {
    credentialId: toBase64url(rawId),
    attestationObject: toBase64url(made.attestationObject),
    clientDataJson: toBase64url(made.clientDataJSON),
    transports: readTransports(made),
  }
}

function readTransports(response: AuthenticatorAttestationResponse): AuthenticatorTransport[] {
  // Older browsers have no such method.
  const names = (response as Partial<AuthenticatorAttestationResponse>).getTransports?.call(response) ?? []
  if (names.length === 0) return defaultTransports
  return names.map((name) => {
    const transport = transports.get(name)
    if (!transport) throw new PasskeyTransportUnknownError(name)
    return transport
  })
}

/** Returns a `signal` member that aborts when any of the given signals does; none if none is given. */
function withSignals(...given: readonly (AbortSignal | undefined)[]): { signal?: AbortSignal } {
  const signals = given.filter((signal) => signal !== undefined)
  const [only] = signals
  if (only === undefined || signals.length === 1) return only === undefined ? {} : { signal: only }
  const both = new AbortController()
  for (const signal of signals) {
    if (signal.aborted) both.abort(signal.reason)
    else signal.addEventListener('abort', () => both.abort(signal.reason), { once: true })
  }
  return { signal: both.signal }
}

/**
 * Tells the browser that the service does not know a new passkey, so that it is not offered again (WebAuthn L3 §
 * 5.1.10). Does nothing in a browser without that method.
 */
export async function forgetPasskey({
  rpId = window.location.hostname,
  credentialId,
}: PasskeyForgetParameters): Promise<void> {
  if (typeof PublicKeyCredential === 'undefined') return
  const { signalUnknownCredential } = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  await signalUnknownCredential?.call(PublicKeyCredential, { rpId, credentialId })
}
