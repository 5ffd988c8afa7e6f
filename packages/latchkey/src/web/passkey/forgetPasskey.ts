import type { PasskeyForgetParameters } from '../platform.ts'

/**
 * Tells the browser that the service does not know a passkey, so that the person is not offered it again (WebAuthn Level 3
 * § 5.1.10). Nothing happens in a browser that takes no such word.
 */
export async function forgetPasskey({
  rpId = window.location.hostname,
  credentialId,
}: PasskeyForgetParameters): Promise<void> {
  if (typeof PublicKeyCredential === 'undefined') return
  const { signalUnknownCredential } = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  await signalUnknownCredential?.call(PublicKeyCredential, { rpId, credentialId })
}
