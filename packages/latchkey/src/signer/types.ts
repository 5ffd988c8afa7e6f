import type { ConfirmationAction, PublicConfig } from 'latchkey-protocol'
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
import type { StoragePort } from '../core/storage/StoragePort.ts'
import type { PasskeyCreationOptions, Platform } from '../web/platform.ts'
import type { ImportWalletParameters, WalletImport } from './WalletImport.ts'

export type SignerStatus = 'INITIALIZING' | 'AUTHENTICATING' | 'AWAITING_EMAIL_AUTH' | 'CONNECTED' | 'DISCONNECTED'

/**
 * How a session came into use. `signedIn`: a sign-in of this tab is complete; `restored`: it was stored when the page
 * loaded; `adopted`: another tab signed in; `resumed`: it was there before a sign-in that failed or was cancelled.
 */
export type ConnectedReason = 'signedIn' | 'restored' | 'adopted' | 'resumed'

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
  /** The rest, fetched when first needed. */
  getConfig(): Promise<PublicConfig>
  /** What `getConfig` must name: it comes from the signer service, which may lie. */
  pinned?: PinnedServer | undefined
}

/** What an app knows of its server by its own configuration. What it leaves out is pinned by the browser's first visit. */
export type PinnedServer = {
  /** Only the origin of each URL counts. */
  custodyUrl?: string | undefined
  authFrameUrl?: string | undefined
  exportFrameUrl?: string | undefined
  importFrameUrl?: string | undefined
  /** Custody's bundle-signing key: uncompressed P-256 point, 130 hex digits. */
  signingKey?: string | undefined
}

/** How the signer service is reached: `Authorization: Bearer {apiKey}`, else `{jwt}`, else no such header. */
export type SignerConnection = {
  /** Base of the signer service. Wins over the base named by `endpoints`. */
  rpcUrl?: string | undefined
  apiKey?: string | undefined
  jwt?: string | undefined
}

export type IframeConfig = {
  /** @default 'turnkey-iframe' */
  iframeElementId?: string | undefined
  /**
   * The element is created hidden when the page has none.
   * @default 'alchemy-signer-iframe-container'
   */
  iframeContainerId?: string | undefined
}

export type SessionConfig = {
  /**
   * Life of a session, in milliseconds.
   * @default 900_000
   */
  expirationTimeMs?: number | undefined
  /** @default 'alchemy-signer-session' */
  sessionKey?: string | undefined
  /**
   * Only the local storage is shared with other tabs.
   * @default 'localStorage'
   */
  storage?: 'localStorage' | 'sessionStorage' | StoragePort | undefined
  /**
   * How long before the session's end `expiring` fires, in milliseconds.
   * @default 60_000
   */
  expiringNoticeMs?: number | undefined
  /**
   * `device`: a key of this browser signs for the session, made by WebCrypto and kept where no script can read it, so
   * that signing needs neither frame nor prompt.
   * @default the frame's key, or a passkey prompt for each signature
   */
  sessionKind?: 'device' | undefined
}

export type SignerParameters = {
  client: {
    connection: SignerConnection
    iframeConfig?: IframeConfig | undefined
    /**
     * Relying-party id of passkeys, made and used.
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

/** Send a sign-in mail. */
export type EmailParameters = {
  type: 'email'
  email: string
  /** Query parameters the mail link brings back to the page. */
  redirectParams?: URLSearchParams | undefined
  /**
   * Life of the session key, in seconds.
   * @default the life of the session
   */
  expirationSeconds?: number | undefined
  /** Cancels the wait for the mail. */
  signal?: AbortSignal | undefined
}

/** Complete a sign-in with the bundle of the mail link. */
export type BundleParameters = {
  type: 'email'
  bundle: string
  /** @default the organization of the last mail this browser requested */
  orgId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Complete a sign-in with the digits of the last mail this browser requested. */
export type CodeParameters = { type: 'email'; code: string; signal?: AbortSignal | undefined }

/** Sign in with a passkey: the person chooses among those they have for this site. */
export type PasskeyLoginParameters = {
  type: 'passkey'
  createNew: false
  /**
   * `conditional`: no prompt; the passkeys are offered in the autofill of an `<input autocomplete="username webauthn">`
   * (WebAuthn Level 3 § 5.1.4) and the status stays as it is until the person picks one. Any other sign-in ends the
   * offer with `SUPERSEDED`; a browser that has no such offer, with `PASSKEY_UNSUPPORTED`.
   *
   * `immediate`: a prompt for passkeys that are at hand only. Where there is none, it ends with `PASSKEY_CANCELLED` at once
   * and nothing is shown, so that a page can offer a new account instead; a browser without it, with `PASSKEY_UNSUPPORTED`.
   * Call it from a press.
   */
  mediation?: 'conditional' | 'immediate' | undefined
  signal?: AbortSignal | undefined
}

/** Make a passkey, and a new person with it. */
export type PasskeySignupParameters = {
  type: 'passkey'
  createNew: true
  /** Name the authenticator shows for the passkey; not sent to the service. */
  username: string
  creationOpts?: PasskeyCreationOptions | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyParameters = PasskeyLoginParameters | PasskeySignupParameters

export type AuthParameters = EmailParameters | BundleParameters | CodeParameters | PasskeyParameters

/** Of `addPasskey`. */
export type AddPasskeyOptions = PasskeyCreationOptions & {
  /**
   * Name of the passkey in the service's list, of at most 200 characters. It cannot be changed later.
   * @default `passkey-${ms}`
   */
  name?: string | undefined
}

/** Of a call that may wait for the person's mail. */
export type WaitOptions = {
  /** Ends the wait with `ABORTED`. What was asked for can still be confirmed from the mail, until it expires. */
  signal?: AbortSignal | undefined
}

/** Where the export frame goes: it shows the secret itself, so the container should be in sight when it resolves. */
export type ExportWalletParameters = WaitOptions & {
  /** Id of an element of the page. The frame is added to it, in place of one of an earlier export. */
  iframeContainerId: string
  /** @default 'turnkey-export-iframe' */
  iframeElementId?: string | undefined
}

/** To whom a wallet is sealed: an import key of another service, an uncompressed P-256 point of 130 hex digits. */
export type SealWalletParameters = WaitOptions & { targetPublicKey: string }

/** A passkey of the user signed in. */
export type Authenticator = {
  id: string
  /** `passkey-{ms}` when this client made it. */
  name: string
  /** base64url. */
  credentialId: string
  createdAtMs: number
  /** To within an hour; null where it was used in its first hour only, or the service does not say. */
  lastUsedAtMs: number | null
  /** Who keeps it, such as 'Apple Passwords', by what its authenticator says of itself; null where that is not known. */
  provider: string | null
  /** Whether the session in use rests on it. */
  isCurrent: boolean
}

/** A key that signs for the user until it expires: one a browser signed in with. */
export type SessionKey = {
  id: string
  name: string
  createdAtMs: number
  /** To within an hour; null where it was used in its first hour only, or the service does not say. */
  lastUsedAtMs: number | null
  /** Null for a key that does not expire. */
  expiresAtMs: number | null
  /** Whether it is the key of the session in use. */
  isCurrent: boolean
}

/** A session that came to its end by itself: what a page says to a person whom it shows signed out. */
export type EndedSession = {
  /** `time`: its life was over. `elsewhere`: ended from another browser, or by its key being removed. */
  reason: 'time' | 'elsewhere'
  /** Of the person; undefined where they signed in without one. */
  email?: string | undefined
  /** They signed in by passkey. */
  isPasskey: boolean
  /** Life that the app gives its sessions, in milliseconds. */
  lifeMs: number
}

/** Something asked for that waits until the person confirms it outside the page. */
export type PendingConfirmation = {
  /** What to show. */
  text: string
  /** It ends unconfirmed then, in milliseconds since 1970. */
  expiresAtMs: number
  /** Where the mail went: to the person, or to a new address that is to agree; undefined where the service does not say. */
  to?: string | undefined
  /** What is to be confirmed, where the service says it. */
  action?: ConfirmationAction | undefined
  /** Has the mail sent again, without a prompt; the one before stays valid. It prolongs nothing, and few are sent. */
  resend(): Promise<void>
  /** Ends the wait with `ABORTED`. */
  cancel(): void
}

/** An account whose credential was refused because it is being deleted. */
export type PendingDeletion = {
  /** The keys are destroyed then, in milliseconds since 1970. */
  dueAtMs: number
  /** Takes the deletion back by the credential that was refused. Sign in again afterwards. */
  cancel(options?: WaitOptions): Promise<void>
}

export type SignerEvents = {
  connected: [user: User]
  disconnected: []
  /** `reason` comes with `CONNECTED` only. */
  statusChanged: [status: SignerStatus, reason?: ConnectedReason]
  /** The session ends at this time (milliseconds since 1970): the moment to offer a new sign-in. */
  expiring: [expiresAt: number]
  /** `confirmation` of the signer is another one. */
  confirmationChanged: [confirmation: PendingConfirmation | null]
  /** `deletion` of the signer is another one. */
  deletionChanged: [deletion: PendingDeletion | null]
  /** A failure no caller waits for: a mail link at page load, or a stored session that does not come back. */
  error: [error: BaseError]
}

export type Signer = {
  readonly signerType: 'alchemy-signer'
  readonly status: SignerStatus
  /** The user while `status` is `CONNECTED`, else null. */
  readonly user: User | null
  /** What waits for the person's confirmation by mail; null while nothing does. */
  readonly confirmation: PendingConfirmation | null
  /** The account that the last sign-in or call was refused for, being deleted; null while there is none. */
  readonly deletion: PendingDeletion | null
  /** When the session ends, in milliseconds since 1970; null while there is no session. */
  readonly expiresAt: number | null
  /**
   * The session before, when it ended by itself and not by logging out; null once the person has signed in or out. It lives in
   * memory only.
   */
  readonly ended: EndedSession | null
  /**
   * What a mail link left in the page's address when this signer was made; null when nothing. `wasAskedHere`: this
   * browser waited for a mail then, so the link can be its own.
   */
  readonly link: { readonly hasBundle: boolean; readonly isSignup: boolean; readonly wasAskedHere: boolean } | null
  /** Where the last sign-in mail of this browser was sent to, while it can be used; null without one. */
  readonly awaitedEmail: string | null
  /** Whether the last mail this browser requested carries a code, so that `authenticate({ type: 'email', code })` works. */
  readonly acceptsCode: boolean
  /** How many digits that code has; null without one. */
  readonly codeLength: number | null
  /** Whether that mail signs a new person up; also after it has, until they sign out or the page is loaded again. */
  readonly isSignup: boolean
  /**
   * With an e-mail address: sends the mail, resolves when the link was opened in any tab of this browser or its code
   * was given; `LINK_EXPIRED` when neither happens in time. A newer call for the same address takes this one along,
   * one for another ends it with `SUPERSEDED`. With a passkey: prompts, and resolves when the service knows the person.
   */
  authenticate(parameters: AuthParameters): Promise<User>
  /** Gives the user signed in another way in: makes a passkey and registers it. Returns the authenticator's id. */
  addPasskey(options?: AddPasskeyOptions): Promise<string[]>
  /** The user's passkeys, oldest first. */
  listAuthenticators(): Promise<Authenticator[]>
  /** Takes a passkey away from the user; it needs a sign-in of the last minutes, or the person's passkey. */
  removeAuthenticator(id: string, options?: WaitOptions): Promise<void>
  /**
   * Gives the user signed in this e-mail address: as the first, or in place of theirs. It is theirs once they have confirmed it
   * by a mail to the present address, if there is one, and then by one to the new address. Returns the user with it.
   */
  setEmail(email: string, options?: WaitOptions): Promise<User>
  /** Deletes the account with its keys, for good after a grace time; see `deleteAccount`. Sign out then. */
  deleteAccount(options?: WaitOptions): Promise<void>
  /** The keys that sign for the user: the browsers signed in. */
  listSessions(): Promise<SessionKey[]>
  /** Signs the user out elsewhere: ends the keys named, else all but the session's own. Returns the ids ended. */
  revokeSessions(ids?: readonly string[]): Promise<string[]>
  /**
   * Shows the user their secret in the export frame: the seed phrase in an e-mail session, the private key in a
   * passkey session. The page never sees it. True when the frame holds it; a next call replaces the frame.
   */
  exportWallet(parameters: ExportWalletParameters): Promise<boolean>
  /** The user's seed phrase, sealed to a key of another service. The page cannot open it; see `moveWallet`. */
  sealWallet(parameters: SealWalletParameters): Promise<string>
  /**
   * Brings the wallet of the person whom `from` has signed in at another service, as the first of a new account here: the user
   * returned has its address. For projects with `movesIn`, right after the sign-up.
   */
  moveWallet(from: Pick<Signer, 'getAddress' | 'sealWallet'>, options?: WaitOptions): Promise<User>
  /** Opens the import frame, in which the user types a secret of their own. */
  importWallet(parameters: ImportWalletParameters): Promise<WalletImport>
  /** Signs out in every tab and has the session's key revoked: within seconds, whether or not a server responds. */
  disconnect(): Promise<void>
  /** The user signed in. */
  getAuthDetails(): Promise<User>
  /** Looks a person up by e-mail address; null when there is none. It needs no sign-in. */
  lookUpUser(email: string): Promise<{ orgId: string } | null>
  /** Alias of `lookUpUser`, by its documented name: not the user signed in, which is `user`. */
  getUser(email: string): Promise<{ orgId: string } | null>
  getAddress(): Promise<Address>
  /** EIP-191. 65 bytes, `v` 27 or 28. */
  signMessage(message: SignableMessage): Promise<Hex>
  /** EIP-712. 65 bytes, `v` 27 or 28. */
  signTypedData<const typedData extends TypedData | Record<string, unknown>, primaryType extends string>(
    definition: TypedDataDefinition<typedData, primaryType & (keyof typedData | 'EIP712Domain')>,
  ): Promise<Hex>
  /** The signed transaction, serialized: ready for `eth_sendRawTransaction`. */
  signTransaction(
    transaction: TransactionSerializable,
    options?: { serializer?: SerializeTransactionFn | undefined },
  ): Promise<Hex>
  /** Signs a 32-byte digest as it is. */
  signRawMessage(hash: Hex): Promise<Hex>
  /** A viem account of the user signed in now. */
  toViemAccount(): LocalAccount<'alchemy-signer'>
  /** Fires at once when the present state is the event's, then on every change. Returns an unsubscribe. */
  on<name extends keyof SignerEvents>(event: name, listener: (...values: SignerEvents[name]) => void): () => void
  /** Ends listeners, frame and timers. The session stays stored. */
  destroy(): void
}
