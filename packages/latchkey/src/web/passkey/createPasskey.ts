import type { AuthenticatorTransport } from 'latchkey-protocol'
import { passkeyName } from '../../core/passkeyName.ts'
import { toBase64url } from '../encoding.ts'
import type { NewPasskey, PasskeyCreateParameters, PasskeyForgetParameters } from '../platform.ts'
import { PasskeyTransportUnknownError, PasskeyUnsupportedError } from './errors.ts'
import { promptForPasskey } from './prompt.ts'

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
 * Creates a passkey with the browser's prompt (WebAuthn L3 § 5.1.3): ES256 or RS256, discoverable and with user
 * verification if the authenticator supports both.
 *
 * @throws `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_TRANSPORT_UNKNOWN`, `PASSKEY_UNSUPPORTED`.
 */
export async function createPasskey(parameters: createPasskey.Parameters): Promise<createPasskey.ReturnType> {
  if (typeof PublicKeyCredential === 'undefined' || !navigator.credentials) throw new PasskeyUnsupportedError()
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  const publicKey = creationOptions(parameters, challenge)
  const made = await promptForPasskey({
    doing: 'create',
    rpId: publicKey.rp.id,
    timeoutMs: publicKey.timeout,
    signals: [parameters.signal, parameters.options?.signal],
    show: (signal) => navigator.credentials.create({ publicKey, signal }),
  })
  const credentialId = toBase64url(made.rawId)
  const response = made.response as AuthenticatorAttestationResponse
  // Older browsers do not have `getTransports`.
  const names = (response as Partial<AuthenticatorAttestationResponse>).getTransports?.call(response) ?? []
  const known = names.flatMap((name) => transports.get(name) ?? [])
  if (names.length > 0 && known.length === 0) {
    await forgetPasskey({ rpId: publicKey.rp.id, credentialId }).catch(() => undefined)
    throw new PasskeyTransportUnknownError(names.join())
  }
  const attestation = {
    credentialId,
    attestationObject: toBase64url(response.attestationObject),
    clientDataJson: toBase64url(response.clientDataJSON),
    transports: known.length > 0 ? known : defaultTransports,
  }
  return { challenge: toBase64url(challenge), attestation, ...(names.length > 0 && { transports: names }) }
}

/** Returns the browser's options for a new passkey. */
export function creationOptions(
  { rpId = window.location.hostname, username = passkeyName(rpId, new Date()), options }: createPasskey.Parameters,
  challenge: Uint8Array<ArrayBuffer>,
): PublicKeyCredentialCreationOptions {
  const given = (options?.publicKey ?? {}) as Partial<PublicKeyCredentialCreationOptions>
  const { name = username, displayName = username, ...user }: Partial<PublicKeyCredentialUserEntity> = given.user ?? {}
  return {
    ...given,
    challenge,
    pubKeyCredParams: [
      { alg: -7, type: 'public-key' },
      { alg: -257, type: 'public-key' },
    ],
    rp: { id: rpId, name: rpId, ...given.rp },
    user: {
      id: crypto.getRandomValues(new Uint8Array(32)),
      ...user,
      name: cutName(name),
      displayName: cutName(displayName),
    },
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: 'preferred',
      ...given.authenticatorSelection,
    },
  }
}

/**
 * Truncates a name to the 64 bytes that an authenticator stores, without splitting a character (WebAuthn L3 § 6.4.1).
 */
function cutName(name: string): string {
  return name.slice(0, new TextEncoder().encodeInto(name, new Uint8Array(64)).read)
}

/**
 * Reports to the browser that the service does not accept a new passkey, so that the browser stops offering it
 * (WebAuthn L3 § 5.1.10). Does nothing in browsers without `signalUnknownCredential`.
 */
export async function forgetPasskey({
  rpId = window.location.hostname,
  credentialId,
}: PasskeyForgetParameters): Promise<void> {
  if (typeof PublicKeyCredential === 'undefined') return
  const { signalUnknownCredential } = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  await signalUnknownCredential?.call(PublicKeyCredential, { rpId, credentialId })
}
