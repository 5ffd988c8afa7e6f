import type { Address, Hex } from 'viem'

/** Which account the test's wallet uses. */
export type KitAccount = 'LightAccount' | 'MultiOwnerLightAccount' | 'MultiOwnerModularAccount'

export type KitCall = {
  target: Address
  data?: Hex | undefined
  /** Wei, as a decimal number. */
  value?: string | undefined
}

export type KitSettings = {
  /** URL of the devnet as the app names it. */
  devnetUrl: string
  chainId: number
  type: KitAccount
  /** Undefined: the account pays. */
  policyId: string | undefined
}

/** What the page gives a test; everything passes as JSON. */
export type KitPage = { start(settings: KitSettings): Promise<KitWallet> }

export type KitWallet = {
  isSignedIn(): Promise<boolean>
  /** Once the mail is sent. */
  askForCode(email: string): Promise<void>
  enterCode(code: string): Promise<void>
  /** With a name: a new account with a new passkey. */
  signInByPasskey(username?: string): Promise<void>
  readAddress(): Promise<Address>
  /** `failure`: what the wallet says when it refuses or is refused. */
  send(calls: readonly KitCall[]): Promise<{ hash?: Hex; failure?: string }>
  signOut(): Promise<void>
}
