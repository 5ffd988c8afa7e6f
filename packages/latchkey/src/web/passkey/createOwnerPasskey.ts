import { bytesToHex, type Hex, slice } from 'viem'
import { toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'
import { toBase64url } from '../encoding.ts'
import { creationOptions, forgetPasskey } from './createPasskey.ts'
import { PasskeyFailedError, PasskeyUnsupportedError } from './errors.ts'
import { promptForPasskey, promptTimeoutMs } from './prompt.ts'

/**
 * Creates a passkey that becomes an owner of the account. It does not sign in: the server does not learn of it. `name`
 * tells it apart from the site's other passkeys.
 *
 * @throws `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function createOwnerPasskey(rpId: string | undefined, name: string): Promise<WebAuthnAccount> {
  if (typeof PublicKeyCredential === 'undefined' || !navigator.credentials) throw new PasskeyUnsupportedError()
  const authenticatorSelection = { residentKey: 'required', userVerification: 'required' } as const
  const given = { publicKey: { authenticatorSelection, timeout: promptTimeoutMs } }
  const options = creationOptions({ rpId, username: name, options: given }, crypto.getRandomValues(new Uint8Array(32)))
  // Contracts verify ES256 alone.
  const publicKey = { ...options, pubKeyCredParams: options.pubKeyCredParams.filter(({ alg }) => alg === -7) }
  const made = await promptForPasskey({
    doing: 'create',
    rpId: publicKey.rp.id,
    timeoutMs: promptTimeoutMs,
    signals: [],
    show: (signal) => navigator.credentials.create({ publicKey, signal }),
  })
  const id = toBase64url(made.rawId)
  const point = readPublicKey((made.response as AuthenticatorAttestationResponse).attestationObject)
  if (point) return toWebAuthnAccount({ credential: { id, publicKey: point }, rpId })
  await forgetPasskey({ rpId: publicKey.rp.id, credentialId: id }).catch(() => undefined)
  throw new PasskeyFailedError(
    'The device made a passkey that a contract cannot verify.',
    'Use a passkey of another device or password manager.',
    undefined,
  )
}

/** First bytes of an ES256 key in canonical CBOR, up to the coordinate x (RFC 9053 § 7.1.1, WebAuthn L3 § 6.5.1.1). */
const keyStart = 'a5010203262001215820'

/**
 * Reads the coordinates of a new passkey from its attestation. `getPublicKey()` would fail for the plain objects of
 * some password managers.
 */
function readPublicKey(attestationObject: ArrayBuffer): Hex | undefined {
  const text = bytesToHex(new Uint8Array(attestationObject))
  const start = text.lastIndexOf(keyStart)
  const key: Hex = `0x${text.slice(start + keyStart.length, start + keyStart.length + 134)}`
  if (start < 0 || key.length !== 136 || key.slice(66, 72) !== '225820') return undefined
  return `${slice(key, 0, 32)}${key.slice(72)}`
}
