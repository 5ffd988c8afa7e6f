import type {
  GetSpendingRulesResponse,
  KeyScope,
  MultiFactor,
  NewMultiFactor,
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
import type { AuthParameters } from './AuthParameters.ts'
import type { Authenticator, ConnectedProvider, SessionKey } from './Credentials.ts'
import type { CreatePaperKeyParameters, PaperKey } from './PaperKey.ts'
import type { EndedSession, PendingConfirmation, PendingDeletion } from './pending.ts'
import type { WaitOptions } from './WaitOptions.ts'
import type { ImportWalletParameters, WalletImport } from './WalletImport.ts'

export type SignerStatus =
  | 'INITIALIZING'
  | 'AUTHENTICATING'
  | 'AWAITING_EMAIL_AUTH'
  | 'AWAITING_MFA_AUTH'
  | 'CONNECTED'
  | 'DISCONNECTED'

/**
 * Reason why a session is in use. `signedIn`: this tab completed a sign-in; `restored`: the session was stored at page
 * load; `adopted`: another tab signed in; `resumed`: a later sign-in failed or was cancelled.
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

/** URLs of the signer service, of the key-custody service and of its frames. */
export type Endpoints = {
  /** Base URL of the signer service; `/signer/v1/…` is appended. */
  signerApiUrl: string
  /** Fetches the other URLs when they are first needed. */
  getConfig(): Promise<PublicConfig>
  /** Expected values of `getConfig`, whose response comes from the untrusted signer service. */
  pinned?: PinnedServer | undefined
}

/** Server values in the app's own configuration. Omitted values are pinned to those of the browser's first visit. */
export type PinnedServer = {
  /** Only the origin of the URL is compared. */
  custodyUrl?: string | undefined
  authFrameUrl?: string | undefined
  exportFrameUrl?: string | undefined
  importFrameUrl?: string | undefined
  /** Custody's bundle-signing key: uncompressed P-256 point, 130 hex digits. */
  signingKey?: string | undefined
}

/**
 * Connection to the signer service. Sends `Authorization: Bearer {apiKey}`, or `{jwt}` without an API key. Without
 * either, omits the header.
 */
export type SignerConnection = {
  /** Base URL of the signer service. Takes precedence over the URL in `endpoints`. */
  rpcUrl?: string | undefined
  apiKey?: string | undefined
  jwt?: string | undefined
}

export type IframeConfig = {
  /** @default 'turnkey-iframe' */
  iframeElementId?: string | undefined
  /**
   * Id of the container. If the page has no such element, a hidden one is created.
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
   * Storage of the session. Other tabs share the session only in the local storage.
   * @default 'localStorage'
   */
  storage?: 'localStorage' | 'sessionStorage' | StoragePort | undefined
  /**
   * Milliseconds before the session's end at which `expiring` is emitted.
   * @default 60_000
   */
  expiringNoticeMs?: number | undefined
  /**
   * `device`: a non-extractable WebCrypto key of this browser signs for the session, so signing needs neither frame nor
   * prompt.
   * @default the frame's key, or a passkey prompt for each signature
   */
  sessionKind?: 'device' | undefined
}

export type SignerParameters = {
  client: {
    connection: SignerConnection
    iframeConfig?: IframeConfig | undefined
    /**
     * Relying party ID for passkeys.
     * @default the page's host name
     */
    rpId?: string | undefined
    /**
     * Parent organization.
     * @default the organization in `endpoints`
     */
    rootOrgId?: string | undefined
    /** @default alchemyEndpoints */
    endpoints?: Endpoints | undefined
  }
  sessionConfig?: SessionConfig | undefined
  /** @default webPlatform() */
  platform?: Platform | undefined
}

/** Options of `addPasskey`. */
export type AddPasskeyOptions = PasskeyCreationOptions & {
  /**
   * Name of the passkey in the service's list, at most 200 characters. The name cannot be changed later.
   * @default `passkey-${ms}`
   */
  name?: string | undefined
}

/**
 * Elements of the export frame. The frame shows the secret, so the container should be visible when the export
 * resolves.
 */
export type ExportWalletParameters = WaitOptions & {
  /** Id of the page element that will contain the frame. Replaces the frame of an earlier export. */
  iframeContainerId: string
  /** @default 'turnkey-export-iframe' */
  iframeElementId?: string | undefined
}

/**
 * Key to which a wallet is encrypted: the import key of another service, an uncompressed P-256 point of 130 hex digits.
 */
export type SealWalletParameters = WaitOptions & { targetPublicKey: string }

/** Key of a program that acts for the user; see `createAgentKey` of `latchkey/server`. */
export type AddAgentKeyParameters = {
  /** Name shown to the user. */
  name: string
  /** Compressed P-256 point, hex. */
  publicKey: string
  scope: KeyScope
}

export type SignerEvents = {
  connected: [user: User]
  disconnected: []
  /** `reason` is set only if the status is `CONNECTED`. */
  statusChanged: [status: SignerStatus, reason?: ConnectedReason]
  /** The session will expire at this time (milliseconds since 1970). Offer a new sign-in. */
  expiring: [expiresAt: number]
  confirmationChanged: [confirmation: PendingConfirmation | null]
  deletionChanged: [deletion: PendingDeletion | null]
  /** Failure outside of any call: an e-mail link at page load, or a stored session that could not be restored. */
  error: [error: BaseError]
}

export type Signer = {
  readonly signerType: 'alchemy-signer'
  readonly status: SignerStatus
  /** Signed-in user while `status` is `CONNECTED`, otherwise null. */
  readonly user: User | null
  /** Pending request that the user must confirm by e-mail; null if there is none. */
  readonly confirmation: PendingConfirmation | null
  /** Account being deleted that made the last sign-in or call fail; null if there is none. */
  readonly deletion: PendingDeletion | null
  /** Expiration time of the session, in milliseconds since 1970; null without a session. */
  readonly expiresAt: number | null
  /**
   * Previous session, if it ended without a sign-out; null once the user has signed in or out. Stored in memory only.
   */
  readonly ended: EndedSession | null
  /**
   * E-mail link in the page's URL when this signer was created; null if there was none. `wasAskedHere`: this browser
   * was waiting for an e-mail, so it may have requested the link.
   */
  readonly link: { readonly hasBundle: boolean; readonly isSignup: boolean; readonly wasAskedHere: boolean } | null
  /** Recipient of this browser's last sign-in e-mail while the e-mail is valid; otherwise null. */
  readonly awaitedEmail: string | null
  /**
   * Whether this browser's last requested e-mail contains a code, so that `authenticate({ type: 'email', code })`
   * works.
   */
  readonly acceptsCode: boolean
  /** Number of digits of the e-mail's code; null without a code. */
  readonly codeLength: number | null
  /** Whether the last requested e-mail signs up a new user. Unchanged until the user signs out or reloads the page. */
  readonly isSignup: boolean
  /**
   * Signs in. With an e-mail address: sends the e-mail, and resolves when the user opens the link in any tab of this
   * browser or the app passes the code. Rejects with `LINK_EXPIRED` if neither happens in time. A newer call with the
   * same e-mail address joins this call; a call with another address ends it with `SUPERSEDED`. With a passkey:
   * prompts, and resolves when the service has returned the user.
   */
  authenticate(parameters: AuthParameters): Promise<User>
  /** Adds a passkey to the signed-in user. Returns the ids of the new authenticators. */
  addPasskey(options?: AddPasskeyOptions): Promise<string[]>
  /** Lists the user's passkeys, oldest first. */
  listAuthenticators(): Promise<Authenticator[]>
  /** Removes a passkey of the user. Requires a recent sign-in or the user's passkey. */
  removeAuthenticator(id: string, options?: WaitOptions): Promise<void>
  /** Lists the user's accounts at identity providers, oldest first. */
  listProviders(): Promise<ConnectedProvider[]>
  /**
   * Adds an account at an identity provider as another sign-in method. Opens a window, so call it from a click handler.
   * The change takes effect once the user has confirmed by e-mail. Returns the ids of the new accounts.
   */
  addProvider(provider: string, options?: WaitOptions): Promise<string[]>
  /** Removes an account at an identity provider. Requires a recent sign-in or the user's passkey. */
  removeProvider(id: string, options?: WaitOptions): Promise<void>
  /** Returns the user's second factors, at most one, without secrets. */
  getMfaFactors(): Promise<{ multiFactors: MultiFactor[] }>
  /**
   * Creates a second factor for an authenticator app, without effect until `verifyMfa`. Show `multiFactorTotpUrl` to the
   * user and do not store it: it contains the secret.
   */
  addMfa(parameters: { multiFactorType: 'totp' }): Promise<NewMultiFactor>
  /**
   * Activates a second factor by its first code, once the user has confirmed by e-mail. From then on, sign-ins by e-mail
   * and identity provider ask for a code; passkeys do not. Show the recovery codes, which cannot be read again.
   */
  verifyMfa(
    parameters: { multiFactorId: string; multiFactorCode: string },
    options?: WaitOptions,
  ): Promise<{ multiFactors: MultiFactor[]; recoveryCodes: string[] }>
  /** Removes second factors once the user has confirmed by e-mail. Returns those that remain. */
  removeMfa(
    parameters: { multiFactorIds: readonly string[] },
    options?: WaitOptions,
  ): Promise<{ multiFactors: MultiFactor[] }>
  /**
   * Completes the sign-in that waits in `AWAITING_MFA_AUTH`, with a code of the authenticator app or a recovery code.
   * Rejects with `MFA_INVALID` for a wrong code, after which the sign-in still waits.
   */
  validateMultiFactors(parameters: { multiFactorCode: string; multiFactorId?: string | undefined }): Promise<User>
  /**
   * Sets or replaces the user's e-mail address. The change takes effect once the user has confirmed the e-mail to the
   * current address, if there is one, and then the e-mail to the new address. Returns the updated user.
   */
  setEmail(email: string, options?: WaitOptions): Promise<User>
  /** Deletes the account and its keys, permanently after a grace period. Sign out afterwards. */
  deleteAccount(options?: WaitOptions): Promise<void>
  /**
   * Returns the spending limits and the amounts spent in the last 24 hours. Above a limit, custody signs only after the
   * user has confirmed.
   */
  getSpendingRules(): Promise<GetSpendingRulesResponse>
  /** Changes the spending limits once the user has confirmed by e-mail. Null removes them. */
  setSpendingRules(rules: SpendingRules | null, options?: WaitOptions): Promise<void>
  /**
   * Adds the key of a program that acts for the user, such as a trading bot on the app's server, once the user has
   * confirmed the key's scope by e-mail. Returns the key's id. `listSessions` lists the key with its scope, and
   * `revokeSessions` revokes it.
   */
  addAgentKey(parameters: AddAgentKeyParameters, options?: WaitOptions): Promise<string>
  /** Lists the keys that sign for the user: those of signed-in browsers and of programs. */
  listSessions(): Promise<SessionKey[]>
  /**
   * Revokes the given keys, by default all except the session's own. This signs the user out elsewhere. Returns the ids
   * of the revoked keys.
   */
  revokeSessions(ids?: readonly string[]): Promise<string[]>
  /**
   * Shows the user's secret in the export frame: the seed phrase in an e-mail session, the private key in a passkey
   * session. The page cannot read the secret. Resolves to true when the frame contains the secret; the next call
   * replaces the frame. Resolves to false if the user confirmed by e-mail and the confirmation page showed the secret
   * instead.
   */
  exportWallet(parameters: ExportWalletParameters): Promise<boolean>
  /**
   * Creates a key that the user writes on paper, in a frame that this page cannot read. Resolves once the user has
   * written the words down. Pass `owner` to `rotateOwner` with `keep: 'all'`, then call `close`. The key is not stored.
   */
  createPaperKey(parameters: CreatePaperKeyParameters): Promise<PaperKey>
  /**
   * Returns the user's seed phrase, encrypted to another service's key. The page cannot decrypt it; see `moveWallet`.
   */
  sealWallet(parameters: SealWalletParameters): Promise<string>
  /**
   * Moves a wallet from another service; `from` is the signer of that service's signed-in user. The wallet becomes the
   * first wallet of a new account, and the returned user has its address. Call it right after the sign-up. Requires a
   * project with `movesIn`.
   */
  moveWallet(from: Pick<Signer, 'getAddress' | 'sealWallet'>, options?: WaitOptions): Promise<User>
  /** Opens the import frame, in which the user enters a secret. */
  importWallet(parameters: ImportWalletParameters): Promise<WalletImport>
  /** Signs out in every tab and revokes the session's key. Resolves within seconds, even if no server responds. */
  disconnect(): Promise<void>
  /** Returns the signed-in user. */
  getAuthDetails(): Promise<User>
  /** Looks up a user by e-mail address; null if there is none. Needs no sign-in. */
  lookUpUser(email: string): Promise<{ orgId: string } | null>
  /** Alias of `lookUpUser`, for compatibility with the published SDK. The signed-in user is `user`. */
  getUser(email: string): Promise<{ orgId: string } | null>
  getAddress(): Promise<Address>
  /** Signs a message (EIP-191). Returns 65 bytes, `v` 27 or 28. */
  signMessage(message: SignableMessage): Promise<Hex>
  /**
   * Signs typed data (EIP-712) and returns 65 bytes. `content`: the message or typed data whose hash an account's
   * wrapper contains (ERC-1271).
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
   * Returns an access token for the app's server: a JWT that is valid for five minutes; see `verifyAccessToken` of
   * `latchkey/server`. Call it for each request: the token is cached until shortly before it expires. In a passkey
   * session without a device key, a new token prompts the user. Requires Latchkey's server.
   */
  getAccessToken(options?: WaitOptions): Promise<string>
  /**
   * Returns a stamped request that proves the user's identity to the app's server once; see `verifyWhoami` of
   * `latchkey/server`. In a passkey session without a device key, prompts the user.
   */
  stampWhoami(): Promise<StampedRequest>
  /** Returns a viem account of the signed-in user. */
  toViemAccount(): LocalAccount<'alchemy-signer'>
  /**
   * Subscribes to an event. If the event describes the current state, calls the listener immediately, then on every
   * change. Returns an unsubscribe function.
   */
  on<name extends keyof SignerEvents>(event: name, listener: (...values: SignerEvents[name]) => void): () => void
  /** Removes listeners, frame and timers. The session remains stored. */
  destroy(): void
}
