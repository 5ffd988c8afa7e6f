/** Query parameters of a mail link. Apart from the signer API, since a page reads them in its first load. */
export const linkParameters = {
  bundle: 'bundle',
  orgId: 'orgId',
  isSignup: 'aa-is-signup',
} as const
