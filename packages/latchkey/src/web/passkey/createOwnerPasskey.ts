import { createWebAuthnCredential, toWebAuthnAccount, type WebAuthnAccount } from 'viem/account-abstraction'
import { PasskeyUnsupportedError } from './errors.ts'
import { promptForPasskey, promptTimeoutMs } from './prompt.ts'

/**
 * Creates a passkey that becomes an owner of the account. It does not sign in: the server does not learn of it. `name`
 * tells it apart from the site's other passkeys.
 *
 * @throws `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
 */
export async function createOwnerPasskey(rpId: string | undefined, name: string): Promise<WebAuthnAccount> {
  if (typeof PublicKeyCredential === 'undefined' || !navigator.credentials) throw new PasskeyUnsupportedError()
  const host = rpId ?? window.location.hostname
  const credential = await createWebAuthnCredential({
    name,
    rp: { id: host, name: host },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: promptTimeoutMs,
    createFn: (options) =>
      promptForPasskey({
        doing: 'create',
        rpId: host,
        timeoutMs: promptTimeoutMs,
        signals: [],
        show: (signal) => navigator.credentials.create({ ...(options as CredentialCreationOptions), signal }),
      }),
  })
  return toWebAuthnAccount({ credential, rpId })
}
