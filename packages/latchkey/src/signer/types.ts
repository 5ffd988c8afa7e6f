import type { Address, Hex, LocalAccount, SignableMessage, TypedData, TypedDataDefinition } from 'viem'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { StoragePort } from '../core/storage/StoragePort.ts'
import type { PasskeyCreationOptions, Platform } from '../web/platform.ts'
import type { PublicConfig } from '../wire/signerApi.ts'

export type SignerStatus = 'INITIALIZING' | 'AUTHENTICATING' | 'AWAITING_EMAIL_AUTH' | 'CONNECTED' | 'DISCONNECTED'

/** The person signed in. `address` is the EIP-55 address of the key, not of the smart account. */
export type User = {
  email?: string | undefined
  orgId: string
  userId: string
  address: Address
  /** Passkey sessions only. */
  credentialId?: string | undefined
}

/** Where the signer service, the key-custody service and its frames are. */
export type Endpoints = {
  /** Base of the signer service; `/signer/v1/…` is appended. */
  signerApiUrl: string
  /** The rest, asked for when first needed. */
  getConfig(): Promise<PublicConfig>
}

/** How the signer service is reached: `Authorization: Bearer {apiKey}`, else `{jwt}`, else no such header. */
export type SignerConnection = {
  /** Base of the signer service. Wins over the base named by `endpoints`. */
  rpcUrl?: string | undefined
  apiKey?: string | undefined
  jwt?: string | undefined
}

export type IframeConfig = {
  /** Default `turnkey-iframe`. */
  iframeElementId?: string | undefined
  /** Default `alchemy-signer-iframe-container`. The element is created hidden when the page has none. */
  iframeContainerId?: string | undefined
}

export type SessionConfig = {
  /** Life of a session, in milliseconds. Default 900 000 (15 minutes). */
  expirationTimeMs?: number | undefined
  /** Default `alchemy-signer-session`. */
  sessionKey?: string | undefined
  /** Default `localStorage`: the only one other tabs hear of. */
  storage?: 'localStorage' | 'sessionStorage' | StoragePort | undefined
}

export type SignerParameters = {
  client: {
    connection: SignerConnection
    iframeConfig?: IframeConfig | undefined
    /** Relying-party id of passkeys, made and used. Default: the page's host name. */
    rpId?: string | undefined
    /** Parent organization. Default: the one of `endpoints`. */
    rootOrgId?: string | undefined
    /** Default `alchemyEndpoints`. */
    endpoints?: Endpoints | undefined
  }
  sessionConfig?: SessionConfig | undefined
  /** Default: the browser page this runs in. */
  platform?: Platform | undefined
}

/** Send a sign-in mail. */
export type EmailParameters = {
  type: 'email'
  email: string
  /** Query parameters the mail link brings back to the page. */
  redirectParams?: URLSearchParams | undefined
  /** Life of the session key, in seconds. Default: the life of the session. */
  expirationSeconds?: number | undefined
}

/** Complete a sign-in with what the mail link carried. */
export type BundleParameters = {
  type: 'email'
  bundle: string
  /** Default: the organization of the mail this browser last asked for. */
  orgId?: string | undefined
}

/** Complete a sign-in with the six digits of the mail this browser last asked for. */
export type CodeParameters = { type: 'email'; code: string }

/** Sign in with a passkey: the person chooses among those they have for this site. */
export type PasskeyLoginParameters = { type: 'passkey'; createNew: false }

/** Make a passkey, and a new person with it. */
export type PasskeySignupParameters = {
  type: 'passkey'
  createNew: true
  /** Name the authenticator shows for the passkey; not sent to the service. */
  username: string
  creationOpts?: PasskeyCreationOptions | undefined
}

export type PasskeyParameters = PasskeyLoginParameters | PasskeySignupParameters

export type AuthParameters = EmailParameters | BundleParameters | PasskeyParameters

/** Where the export frame goes: it shows the secret itself, so the container should be in sight when it resolves. */
export type ExportWalletParameters = {
  /** Id of an element of the page. The frame is added to it, in place of one of an earlier export. */
  iframeContainerId: string
  /** Default `turnkey-export-iframe`. */
  iframeElementId?: string | undefined
}

export type SignerEvents = {
  connected: [user: User]
  disconnected: []
  statusChanged: [status: SignerStatus]
  /** A failure no caller waits for: a mail link at page load, or a stored session that does not come back. */
  error: [error: BaseError]
}

export type Signer = {
  readonly signerType: 'alchemy-signer'
  readonly status: SignerStatus
  /** The user while `status` is `CONNECTED`, else null. */
  readonly user: User | null
  /** What a mail link left in the page's address when this signer was made; null when nothing. */
  readonly link: { readonly hasBundle: boolean; readonly isSignup: boolean } | null
  /** Whether the mail this browser last asked for carries a code, so that `authenticate({ type: 'email', code })` works. */
  readonly acceptsCode: boolean
  /**
   * With an e-mail address: sends the mail, resolves when the link was opened in any tab of this browser. With a
   * passkey: prompts, and resolves when the service knows the person.
   */
  authenticate(parameters: AuthParameters): Promise<User>
  /** Gives the user signed in another way in: makes a passkey and registers it. Answers the authenticator's id. */
  addPasskey(options?: PasskeyCreationOptions): Promise<string[]>
  /**
   * Shows the user their secret in the export frame: the seed phrase in an e-mail session, the private key in a
   * passkey session. The page never sees it. True when the frame holds it; a next call replaces the frame.
   */
  exportWallet(parameters: ExportWalletParameters): Promise<boolean>
  /** Signs out in every tab. */
  disconnect(): Promise<void>
  getAuthDetails(): Promise<User>
  /** Looks a person up by e-mail address; null when nobody has it. */
  getUser(email: string): Promise<{ orgId: string } | null>
  getAddress(): Promise<Address>
  /** EIP-191. 65 bytes, `v` 27 or 28. */
  signMessage(message: SignableMessage): Promise<Hex>
  /** EIP-712. 65 bytes, `v` 27 or 28. */
  signTypedData<const typedData extends TypedData | Record<string, unknown>, primaryType extends string>(
    definition: TypedDataDefinition<typedData, primaryType & (keyof typedData | 'EIP712Domain')>,
  ): Promise<Hex>
  /** Signs a 32-byte digest as it is. */
  signRawMessage(hash: Hex): Promise<Hex>
  /** A viem account of the user signed in now. */
  toViemAccount(): LocalAccount<'alchemy-signer'>
  /** Fires at once when the present state is the event's, then on every change. Returns an unsubscribe. */
  on<name extends keyof SignerEvents>(event: name, listener: (...values: SignerEvents[name]) => void): () => void
  /** Lets go of the page: listeners, frame, timers. The session stays stored. */
  destroy(): void
}
