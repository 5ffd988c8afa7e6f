import type {
  ConfirmationAction,
  GetSpendingRulesResponse,
  KeyScope,
  PublicConfig,
  SpendingRules,
  StampedRequest,
} from 'latchkey-protocol'
import type {
  Address,
  Hex,
  LocalAccount,
  SerializeTransactionFn,
  SignableMessage,
  TransactionSerializable,
  TypedData,
  TypedDataDefinition,
} from 'viem'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { SignedContent, SignUserOperationParameters } from '../core/signedContent.ts'
import type { StoragePort } from '../core/storage/StoragePort.ts'
import type { PasskeyCreationOptions, Platform } from '../web/platform.ts'
import type { CreatePaperKeyParameters, PaperKey } from './PaperKey.ts'
import type { ImportWalletParameters, WalletImport } from './WalletImport.ts'

export type SignerStatus = 'INITIALIZING' | 'AUTHENTICATING' | 'AWAITING_EMAIL_AUTH' | 'CONNECTED' | 'DISCONNECTED'

/**
 * Reason why a session is in use. `signedIn`: this tab completed a sign-in; `restored`: it was stored when the page
 * loaded; `adopted`: another tab signed in; `resumed`: it was in use before a failed or cancelled sign-in.
 */
export type ConnectedReason = 'signedIn' | 'restored' | 'adopted' | 'resumed'

/** Signed-in user. `address` is the EIP-55 address of the key, not of the smart account. */
export type User = {
  email?: string | undefined
  orgId: string
  userId: string
  address: Address
  /** Passkey sessions only. */
  credentialId?: string | undefined
}

/** Addresses of the signer service, of the key-custody service and of its frames. */
export type Endpoints = {
  /** Base of the signer service; `/signer/v1/…` is appended. */
  signerApiUrl: string
  /** Fetches the other addresses when they are first needed. */
  getConfig(): Promise<PublicConfig>
  /** Expected values of `getConfig`, whose response comes from the untrusted signer service. */
  pinned?: PinnedServer | undefined
}

/**
 * Server values known from the app's own configuration. Omitted values are pinned to those of the browser's first
 * visit.
 */
export type PinnedServer = {
  /** Only the origin of each URL counts. */
  custodyUrl?: string | undefined
  authFrameUrl?: string | undefined
  exportFrameUrl?: string | undefined
  importFrameUrl?: string | undefined
  /** Custody's bundle-signing key: uncompressed P-256 point, 130 hex digits. */
  signingKey?: string | undefined
}

/**
 * Connection to the signer service. Sends `Authorization: Bearer {apiKey}`, or `{jwt}` without an API key; no header
 * without either.
 */
export type SignerConnection = {
  /** Base of the signer service. Takes precedence over the URL in `endpoints`. */
  rpcUrl?: string | undefined
  apiKey?: string | undefined
  jwt?: string | undefined
}

export type IframeConfig = {
  /** @default 'turnkey-iframe' */
  iframeElementId?: string | undefined
  /**
   * A hidden element is created when the page has none.
   * @default 'alchemy-signer-iframe-container'
   */
  iframeContainerId?: string | undefined
}

export type SessionConfig = {
  /**
   * Session lifetime, in milliseconds.
   * @default 900_000
   */
  expirationTimeMs?: number | undefined
  /** @default 'alchemy-signer-session' */
  sessionKey?: string | undefined
  /**
   * Storage of the session. Only the local storage is shared with other tabs.
   * @default 'localStorage'
   */
  storage?: 'localStorage' | 'sessionStorage' | StoragePort | undefined
  /**
   * Milliseconds before the session's end at which `expiring` fires.
   * @default 60_000
   */
  expiringNoticeMs?: number | undefined
  /**
   * `device`: a non-extractable WebCrypto key of this browser signs for the session, so that signing needs neither
   * frame nor prompt.
   * @default the frame's key, or a passkey prompt for each signature
   */
  sessionKind?: 'device' | undefined
}

export type SignerParameters = {
  client: {
    connection: SignerConnection
    iframeConfig?: IframeConfig | undefined
    /**
     * Relying-party id of created and used passkeys.
     * @default the page's host name
     */
    rpId?: string | undefined
    /**
     * Parent organization.
     * @default that of `endpoints`
     */
    rootOrgId?: string | undefined
    /** @default alchemyEndpoints */
    endpoints?: Endpoints | undefined
  }
  sessionConfig?: SessionConfig | undefined
  /** @default webPlatform() */
  platform?: Platform | undefined
}

/** Sends a sign-in e-mail. */
export type EmailParameters = {
  type: 'email'
  email: string
  /** Query parameters that the e-mail link returns to the page. */
  redirectParams?: URLSearchParams | undefined
  /**
   * Lifetime of the session key, in seconds.
   * @default session lifetime
   */
  expirationSeconds?: number | undefined
  /** Cancels the wait for the e-mail. */
  signal?: AbortSignal | undefined
}

/** Completes a sign-in with the bundle of the e-mail link. */
export type BundleParameters = {
  type: 'email'
  bundle: string
  /** @default organization of this browser's last requested e-mail */
  orgId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Completes a sign-in with the code of this browser's last requested e-mail. */
export type CodeParameters = { type: 'email'; code: string; signal?: AbortSignal | undefined }

/** Signs in with a passkey that the user chooses among those of this site. */
export type PasskeyLoginParameters = {
  type: 'passkey'
  createNew: false
  /**
   * `conditional`: no prompt; passkeys are offered in the autofill of an `<input autocomplete="username webauthn">`
   * (WebAuthn Level 3 § 5.1.4) and the status is unchanged until the user picks one. Any other sign-in ends the offer
   * with `SUPERSEDED`; a browser without autofill support ends it with `PASSKEY_UNSUPPORTED`.
   *
   * `immediate`: a prompt for passkeys on the device only. If there is none, the call ends immediately with
   * `PASSKEY_CANCELLED` and shows nothing, so that a page can offer a new account instead. A browser without support
   * ends the call with `PASSKEY_UNSUPPORTED`. Call it from a click.
   */
  mediation?: 'conditional' | 'immediate' | undefined
  signal?: AbortSignal | undefined
}

/** Creates a passkey, and a new user with it. */
export type PasskeySignupParameters = {
  type: 'passkey'
  createNew: true
  /** Name shown by the authenticator; not sent to the service. */
  username: string
  creationOpts?: PasskeyCreationOptions | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyParameters = PasskeyLoginParameters | PasskeySignupParameters

/** Signs in or up by an identity provider of the project. */
export type OauthParameters = {
  type: 'oauth'
  /** Id of the provider in the project, such as `google`. */
  provider: string
  /**
   * `popup`: a window, which browsers open only after a click. `redirect`: the page is left, and the sign-in completes
   * when the user comes back to it.
   * @default 'popup'
   */
  mode?: 'popup' | 'redirect' | undefined
  /**
   * Where the browser blocks the window: `redirect` leaves the page, `fail` throws `PROVIDER_WINDOW_BLOCKED`.
   * @default 'redirect'
   */
  ifBlocked?: 'redirect' | 'fail' | undefined
  /**
   * Lifetime of the session key, in seconds.
   * @default session lifetime
   */
  expirationSeconds?: number | undefined
  signal?: AbortSignal | undefined
}

export type AuthParameters = EmailParameters | BundleParameters | CodeParameters | PasskeyParameters | OauthParameters

/** Options of `addPasskey`. */
export type AddPasskeyOptions = PasskeyCreationOptions & {
  /**
   * Name of the passkey in the service's list, at most 200 characters. It cannot be changed later.
   * @default `passkey-${ms}`
   */
  name?: string | undefined
}

/** Options of a call that may wait for an e-mail confirmation. */
export type WaitOptions = {
  /** Ends the wait with `ABORTED`. The request can still be confirmed by e-mail until it expires. */
  signal?: AbortSignal | undefined
}

/**
 * Elements of the export frame. It shows the secret itself, so the container should be visible when the export
 * resolves.
 */
export type ExportWalletParameters = WaitOptions & {
  /** Id of the page element to which the frame is added, replacing that of an earlier export. */
  iframeContainerId: string
  /** @default 'turnkey-export-iframe' */
  iframeElementId?: string | undefined
}

/**
 * Key to which a wallet is encrypted: an import key of another service, an uncompressed P-256 point of 130 hex digits.
 */
export type SealWalletParameters = WaitOptions & { targetPublicKey: string }

/** Passkey of the signed-in user. */
export type Authenticator = {
  id: string
  /** `passkey-{ms}` when created by this client. */
  name: string
  /** base64url. */
  credentialId: string
  createdAtMs: number
  /** Accurate to an hour; null if it was used in its first hour only, or if the service does not report it. */
  lastUsedAtMs: number | null
  /** Provider such as 'Apple Passwords', as reported by the authenticator; null if unknown. */
  provider: string | null
  /** Whether the session in use was created with this passkey. */
  isCurrent: boolean
}

/** Identity by which the user signs in: an account at an identity provider. */
export type ConnectedProvider = {
  id: string
  /** Id of the provider in the project, such as `google`. */
  provider: string
  issuer: string
  /** The user's id at the provider. */
  subject: string
  createdAtMs: number
}

/** Key of a signed-in browser, which signs for the user until it expires. */
export type SessionKey = {
  id: string
  name: string
  createdAtMs: number
  /** Accurate to an hour; null if it was used in its first hour only, or if the service does not report it. */
  lastUsedAtMs: number | null
  /** Null for a key that does not expire. */
  expiresAtMs: number | null
  /** Whether this is the key of the session in use. */
  isCurrent: boolean
  /** Scope of a program's key; undefined for the keys of the user. */
  scope?: KeyScope | undefined
}

/** Key of a program that acts for the user, see `createAgentKey` of `latchkey/server`. */
export type AddAgentKeyParameters = {
  /** Shown to the user. */
  name: string
  /** Compressed P-256 point, hex. */
  publicKey: string
  scope: KeyScope
}

/** Session that ended without a sign-out here, to explain to the user why they are signed out. */
export type EndedSession = {
  /** `time`: it expired. `elsewhere`: ended from another browser, or its key was removed. */
  reason: 'time' | 'elsewhere'
  /** The user's e-mail address; undefined if they signed in without one. */
  email?: string | undefined
  /** Whether the user signed in by passkey. */
  isPasskey: boolean
  /** Session lifetime configured by the app, in milliseconds. */
  lifeMs: number
}

/** Request that waits for the user's confirmation outside the page. */
export type PendingConfirmation = {
  /** Text to show. */
  text: string
  /** Expiry of the request, in milliseconds since 1970. */
  expiresAtMs: number
  /**
   * Recipient of the e-mail: the user's address, or a new address that must confirm; undefined if the service does not
   * report it.
   */
  to?: string | undefined
  /** Action to be confirmed, if the service reports it. */
  action?: ConfirmationAction | undefined
  /** Secret that the page of the e-mail shows in place of this app; undefined for other requests. */
  reveals?: 'phrase' | 'key' | undefined
  /**
   * Sends the e-mail again, without a prompt; the previous one stays valid. Doesn't extend the expiry, and is
   * rate-limited.
   */
  resend(): Promise<void>
  /** Ends the wait with `ABORTED`. */
  cancel(): void
}

/** Account whose credential was refused because it is being deleted. */
export type PendingDeletion = {
  /** Time at which the keys are destroyed, in milliseconds since 1970. */
  dueAtMs: number
  /** Cancels the deletion with the refused credential. Sign in again afterwards. */
  cancel(options?: WaitOptions): Promise<void>
}

export type SignerEvents = {
  connected: [user: User]
  disconnected: []
  /** `reason` is set only if the status is `CONNECTED`. */
  statusChanged: [status: SignerStatus, reason?: ConnectedReason]
  /** The session ends at this time (milliseconds since 1970): offer a new sign-in. */
  expiring: [expiresAt: number]
  /** The signer's `confirmation` has changed. */
  confirmationChanged: [confirmation: PendingConfirmation | null]
  /** The signer's `deletion` has changed. */
  deletionChanged: [deletion: PendingDeletion | null]
  /** A failure that no caller waits for: of an e-mail link at page load, or of restoring a stored session. */
  error: [error: BaseError]
}

export type Signer = {
  readonly signerType: 'alchemy-signer'
  readonly status: SignerStatus
  /** Signed-in user while `status` is `CONNECTED`, otherwise null. */
  readonly user: User | null
  /** Request that waits for the user's confirmation by e-mail; null if there is none. */
  readonly confirmation: PendingConfirmation | null
  /** Account being deleted for which the last sign-in or call was refused; null if there is none. */
  readonly deletion: PendingDeletion | null
  /** End of the session, in milliseconds since 1970; null without a session. */
  readonly expiresAt: number | null
  /** Previous session, if it ended without a sign-out; null once the user has signed in or out. Kept in memory only. */
  readonly ended: EndedSession | null
  /**
   * E-mail link found in the page's address when this signer was created; null if there was none. `wasAskedHere`: this
   * browser was waiting for an e-mail, so it may have requested the link.
   */
  readonly link: { readonly hasBundle: boolean; readonly isSignup: boolean; readonly wasAskedHere: boolean } | null
  /** Recipient of this browser's last sign-in e-mail while it is usable; null without one. */
  readonly awaitedEmail: string | null
  /**
   * Whether this browser's last requested e-mail carries a code, so that `authenticate({ type: 'email', code })` works.
   */
  readonly acceptsCode: boolean
  /** Number of digits of the e-mail's code; null without a code. */
  readonly codeLength: number | null
  /**
   * Whether the last requested e-mail signs up a new user. The value remains until the user signs out or the page is
   * reloaded.
   */
  readonly isSignup: boolean
  /**
   * Signs in. With an e-mail address: sends the e-mail and resolves when its link is opened in any tab of this browser
   * or its code is passed, and rejects with `LINK_EXPIRED` if neither happens in time. A newer call for the same
   * address joins this call; a call for another address ends it with `SUPERSEDED`. With a passkey: prompts, and
   * resolves when the service knows the user.
   */
  authenticate(parameters: AuthParameters): Promise<User>
  /** Adds a passkey to the signed-in user. Returns the authenticator's id. */
  addPasskey(options?: AddPasskeyOptions): Promise<string[]>
  /** Lists the user's passkeys, oldest first. */
  listAuthenticators(): Promise<Authenticator[]>
  /** Removes a passkey of the user; needs a sign-in within the last minutes, or the user's passkey. */
  removeAuthenticator(id: string, options?: WaitOptions): Promise<void>
  /** Lists the user's accounts at identity providers, oldest first. */
  listProviders(): Promise<ConnectedProvider[]>
  /**
   * Adds an account at an identity provider as another sign-in method. Opens a window: call it from a click handler.
   * It takes effect once confirmed by e-mail. Returns the id.
   */
  addProvider(provider: string, options?: WaitOptions): Promise<string[]>
  /** Removes an account at an identity provider; needs a sign-in within the last minutes, or the user's passkey. */
  removeProvider(id: string, options?: WaitOptions): Promise<void>
  /**
   * Sets or replaces the user's e-mail address. It takes effect once confirmed by an e-mail to the current address, if
   * there is one, and then by one to the new address. Returns the updated user.
   */
  setEmail(email: string, options?: WaitOptions): Promise<User>
  /** Deletes the account and its keys, permanently after a grace period; see `deleteAccount`. Sign out afterwards. */
  deleteAccount(options?: WaitOptions): Promise<void>
  /**
   * Returns the limits above which custody asks the user before it signs, and the amounts spent in the last 24 hours.
   */
  getSpendingRules(): Promise<GetSpendingRulesResponse>
  /** Changes the spending limits once the user has confirmed by e-mail; null removes them. */
  setSpendingRules(rules: SpendingRules | null, options?: WaitOptions): Promise<void>
  /**
   * Adds a key of a program that acts for the user, such as a trading bot on the app's server, once the user has confirmed
   * its scope by e-mail. Returns its id; `listSessions` lists it with its scope, and `revokeSessions` ends it.
   */
  addAgentKey(parameters: AddAgentKeyParameters, options?: WaitOptions): Promise<string>
  /** Lists the keys that sign for the user: the signed-in browsers. */
  listSessions(): Promise<SessionKey[]>
  /** Signs the user out elsewhere: ends the given keys, by default all but the session's own. Returns the ended ids. */
  revokeSessions(ids?: readonly string[]): Promise<string[]>
  /**
   * Shows the user's secret in the export frame: the seed phrase in an e-mail session, the private key in a passkey
   * session. The page never sees it. Resolves to true when the frame contains the secret; the next call replaces the
   * frame. Resolves to false if the user confirmed by e-mail and the page of that e-mail showed the secret instead.
   */
  exportWallet(parameters: ExportWalletParameters): Promise<boolean>
  /**
   * Lets the user make a key on paper, in a frame that this page cannot read, and resolves once its words are written
   * down. Pass `owner` to `rotateOwner` with `keep: 'all'`, then call `close`. The key is not stored anywhere.
   */
  createPaperKey(parameters: CreatePaperKeyParameters): Promise<PaperKey>
  /**
   * Returns the user's seed phrase, encrypted to another service's key. The page cannot decrypt it; see `moveWallet`.
   */
  sealWallet(parameters: SealWalletParameters): Promise<string>
  /**
   * Moves a wallet from another service, where `from` is the signer of its signed-in user. It becomes the first wallet
   * of a new account here, and the returned user has its address. Call it right after the sign-up. Requires a project
   * with `movesIn`.
   */
  moveWallet(from: Pick<Signer, 'getAddress' | 'sealWallet'>, options?: WaitOptions): Promise<User>
  /** Opens the import frame, in which the user types their own secret. */
  importWallet(parameters: ImportWalletParameters): Promise<WalletImport>
  /** Signs out in every tab and revokes the session's key. Resolves within seconds, even if no server responds. */
  disconnect(): Promise<void>
  /** Returns the signed-in user. */
  getAuthDetails(): Promise<User>
  /** Looks up a user by e-mail address; null when there is none. Needs no sign-in. */
  lookUpUser(email: string): Promise<{ orgId: string } | null>
  /** Alias of `lookUpUser` under its documented name. The signed-in user is `user`. */
  getUser(email: string): Promise<{ orgId: string } | null>
  getAddress(): Promise<Address>
  /** Signs a message (EIP-191). Returns 65 bytes, `v` 27 or 28. */
  signMessage(message: SignableMessage): Promise<Hex>
  /**
   * Signs typed data (EIP-712); returns 65 bytes. `content`: the message or typed data whose hash is in an account's
   * wrapper (ERC-1271).
   */
  signTypedData<const typedData extends TypedData | Record<string, unknown>, primaryType extends string>(
    definition: TypedDataDefinition<typedData, primaryType & (keyof typedData | 'EIP712Domain')>,
    content?: SignedContent | undefined,
  ): Promise<Hex>
  /**
   * Signs the hash of a user operation (EIP-191). Latchkey's server reads the operation and may require the user's
   * confirmation. Returns 65 bytes.
   */
  signUserOperation(parameters: SignUserOperationParameters): Promise<Hex>
  /** Signs a transaction and returns it serialized, ready for `eth_sendRawTransaction`. */
  signTransaction(
    transaction: TransactionSerializable,
    options?: { serializer?: SerializeTransactionFn | undefined },
  ): Promise<Hex>
  /**
   * Signs a 32-byte digest without further hashing. Latchkey's server refuses it unless the project sets
   * `signing.blind`.
   */
  signRawMessage(hash: Hex): Promise<Hex>
  /**
   * Returns an access token: a JWT for the app's own server, valid for five minutes, see `verifyAccessToken` of
   * `latchkey/server`. Call it for each request: the token is cached until shortly before its end. Prompts in a passkey
   * session without a device key when a new token is needed. Requires Latchkey's server.
   */
  getAccessToken(options?: WaitOptions): Promise<string>
  /**
   * Returns a stamped request that proves the user's identity to the app's own server once, see `verifyWhoami` of
   * `latchkey/server`. Prompts in a passkey session without a device key.
   */
  stampWhoami(): Promise<StampedRequest>
  /** Returns a viem account of the signed-in user. */
  toViemAccount(): LocalAccount<'alchemy-signer'>
  /**
   * Subscribes to an event; fires at once if it describes the current state, then on every change. Returns an
   * unsubscribe function.
   */
  on<name extends keyof SignerEvents>(event: name, listener: (...values: SignerEvents[name]) => void): () => void
  /** Removes listeners, frame and timers. The session remains stored. */
  destroy(): void
}
