/** Query parameters of an email link. Separate from the signer API, because they are part of a page's first load. */
export const linkParameters = {
  bundle: 'bundle',
  orgId: 'orgId',
  isSignup: 'aa-is-signup',
  /** Answer of an identity provider, as a query string. */
  oauth: 'latchkey-oauth',
} as const
