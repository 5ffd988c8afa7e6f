import type { Address, Hex } from 'viem'

/** Account type of the test's wallet. */
export type KitAccount = 'LightAccount' | 'MultiOwnerLightAccount' | 'MultiOwnerModularAccount' | 'ModularAccountV2'

export type KitCall = {
  target: Address
  data?: Hex | undefined
  /** Wei, as a decimal number. */
  value?: string | undefined
}

export type KitSettings = {
  /** URL of the devnet in the app's configuration. */
  devnetUrl: string
  chainId: number
  type: KitAccount
  /** If undefined, the account pays. */
  policyId: string | undefined
}

/** Interface of the page for tests. All values are passed as JSON. */
export type KitPage = { start(settings: KitSettings): Promise<KitWallet> }

export type KitWallet = {
  isSignedIn(): Promise<boolean>
  /** Resolves once the e-mail is sent. */
  askForCode(email: string): Promise<void>
  enterCode(code: string): Promise<void>
  /** Signs in by passkey. With a name, creates an account with a new passkey. */
  signInByPasskey(username?: string): Promise<void>
  readAddress(): Promise<Address>
  /** `failure`: message of the wallet's error. */
  send(calls: readonly KitCall[]): Promise<{ hash?: Hex; failure?: string }>
  signOut(): Promise<void>
}
