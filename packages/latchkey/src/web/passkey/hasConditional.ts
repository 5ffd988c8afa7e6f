/** Whether the browser offers passkeys in the autofill of a form field (WebAuthn Level 3 § 5.1.7). */
export async function hasConditional(): Promise<boolean> {
  if (typeof PublicKeyCredential === 'undefined') return false
  // Older browsers have the class without the method.
  const { isConditionalMediationAvailable } = PublicKeyCredential as Partial<typeof PublicKeyCredential>
  return (await isConditionalMediationAvailable?.call(PublicKeyCredential)) ?? false
}
