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
  /** URL of the devnet, as configured in the app. */
  devnetUrl: string
  chainId: number
  type: KitAccount
  /** If undefined, the account pays. */
  policyId: string | undefined
}

/** The page's interface for a test; everything is passed as JSON. */
export type KitPage = { start(settings: KitSettings): Promise<KitWallet> }

export type KitWallet = {
  isSignedIn(): Promise<boolean>
  /** Resolves once the mail is sent. */
  askForCode(email: string): Promise<void>
  enterCode(code: string): Promise<void>
  /** With a name: creates an account with a new passkey. */
  signInByPasskey(username?: string): Promise<void>
  readAddress(): Promise<Address>
  /** `failure`: the wallet's error. */
  send(calls: readonly KitCall[]): Promise<{ hash?: Hex; failure?: string }>
  signOut(): Promise<void>
}
