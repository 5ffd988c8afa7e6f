/** Query parameters of an email link. In a separate file from the signer API, because a page loads them first. */
export const linkParameters = {
  bundle: 'bundle',
  orgId: 'orgId',
  isSignup: 'aa-is-signup',
  /** Response of an identity provider, as a query string. */
  oauth: 'latchkey-oauth',
} as const
