/**
 * Checks by its members whether the browser returned a passkey: password managers answer with objects of their own,
 * which are not instances of this page's `PublicKeyCredential`.
 */
export function isPublicKeyCredential(credential: Credential | null): credential is PublicKeyCredential {
  const { rawId, response } = Object(credential) as Partial<PublicKeyCredential>
  return rawId !== undefined && response !== undefined
}
