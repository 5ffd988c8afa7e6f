import type { Attestation, WebauthnStamp } from 'latchkey-protocol'
import type { StoragePort } from '../core/storage/StoragePort.ts'

/** Data of an e-mail link in the page's address. */
export type Link = {
  /** Credential bundle; absent when the address only carries `aa-is-signup`. */
  bundle?: string | undefined
  orgId?: string | undefined
  /** Whether `aa-is-signup=true` was present. */
  isSignup: boolean
  /** Query of the page's address that carried the link. */
  query?: string | undefined
  /** Whether `bundle` is an identity provider's answer instead. */
  isOauth?: boolean | undefined
}

/** Additional members of a message, for an export or import bundle. */
export type FrameExtra = { organizationId?: string; userId?: string; keyFormat?: string }

/** Hosted frame in this page. Requests may run concurrently: each response is matched by its id. */
export type Frame = {
  readonly url: string
  /** Whether it can still reply: false once it was closed, or the page has removed, moved or reloaded it. */
  isAlive(): boolean
  /** Returns false once the frame has reported that its browser blocks its storage. Absent: true. */
  isKept?(): boolean
  /** Returns the embedded public key: uncompressed P-256 point, 130 hex digits. The frame creates a missing one. */
  publicKey(): Promise<string>
  /**
   * Sends one message and waits for its response. An `ERROR` response rejects with `FRAME_FAILED`. `timeoutMs` replaces
   * the frame's timeout for this message.
   */
  request(type: string, value?: unknown, timeoutMs?: number, extra?: FrameExtra): Promise<unknown>
  /** Removes the frame from the page. Pending requests fail. */
  close(): void
}

/** Same as the DOM's `BufferSource`, which projects without the DOM types do not have. */
type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer

/**
 * Options of a new passkey, compatible with the DOM's `CredentialCreationOptions` (WebAuthn L3 § 5.4). All but
 * `challenge` and `pubKeyCredParams`, which are fixed, may be overridden.
 */
export type PasskeyCreationOptions = {
  publicKey?:
    | {
        rp?: { id?: string; name?: string }
        user?: { id?: BufferSource; name?: string; displayName?: string }
        authenticatorSelection?: {
          authenticatorAttachment?: 'cross-platform' | 'platform'
          residentKey?: 'discouraged' | 'preferred' | 'required'
          requireResidentKey?: boolean
          userVerification?: 'discouraged' | 'preferred' | 'required'
        }
        attestation?: 'direct' | 'enterprise' | 'indirect' | 'none'
        excludeCredentials?: { id: BufferSource; type: 'public-key'; transports?: string[] }[]
        extensions?: object
        /** Time limit of the prompt, in milliseconds. */
        timeout?: number
        /** Ignored: the wire protocol sets it. */
        challenge?: BufferSource
        /** Ignored: the wire protocol sets it to ES256 and RS256. */
        pubKeyCredParams?: readonly { alg: number; type: 'public-key' }[]
      }
    | undefined
  signal?: AbortSignal | undefined
}

/** New passkey, with the challenge it was created for (base64url of 32 random bytes). */
export type NewPasskey = {
  challenge: string
  attestation: Attestation
  /** Transports that the browser reported, in its own names; absent if it reported none. */
  transports?: readonly string[] | undefined
}

export type PasskeyCreateParameters = {
  /**
   * Name shown by the authenticator.
   * @default relying party, day and time
   */
  username?: string | undefined
  /** @default the page's host name */
  rpId?: string | undefined
  options?: PasskeyCreationOptions | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyStampParameters = {
  /** Exact text to sign. */
  body: string
  /** @default the page's host name */
  rpId?: string | undefined
  /** base64url. The only passkey allowed; without it the user chooses among those of the relying party. */
  credentialId?: string | undefined
  /** Transports of that passkey, if known: the browser tries no others. */
  transports?: readonly string[] | undefined
  /** Offers the passkeys in the autofill of a form field instead of a prompt. */
  isConditional?: boolean | undefined
  /** Allows passkeys on the device only: without one, it fails at once and shows nothing. */
  isImmediate?: boolean | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyForgetParameters = {
  /** @default the page's host name */
  rpId?: string | undefined
  /** base64url. */
  credentialId: string
}

/** Passkeys of the page. The signer opens one prompt at a time: browsers refuse a second. */
export type PasskeyPort = {
  create(parameters: PasskeyCreateParameters): Promise<NewPasskey>
  stamp(parameters: PasskeyStampParameters): Promise<WebauthnStamp>
  /** Tells the device to stop offering a passkey, if the browser supports it. */
  forget?(parameters: PasskeyForgetParameters): Promise<void>
  /** Whether the browser can offer passkeys in the autofill of a form field. */
  hasConditional?(): Promise<boolean>
  /** Whether the browser supports prompts for passkeys on the device only. */
  hasImmediate?(): Promise<boolean>
}

/** Structural type of a `CryptoKey` (Web Cryptography Level 2, § 13): Node's types may not declare it. */
type KeyHandle = {
  readonly algorithm: { name: string }
  readonly extractable: boolean
  readonly type: 'private' | 'public' | 'secret'
  readonly usages: ('decrypt' | 'deriveBits' | 'deriveKey' | 'encrypt' | 'sign' | 'unwrapKey' | 'verify' | 'wrapKey')[]
}

/** Structural type of a `CryptoKeyPair`. */
type KeyPair = { publicKey: KeyHandle; privateKey: KeyHandle }

/** Storage of this browser's key pairs, by name. */
export type DeviceKeyPort = {
  /** Stores a pair; removes expired ones. */
  put(name: string, pair: KeyPair, expiresAtMs: number): Promise<void>
  get(name: string): Promise<KeyPair | null>
  remove(name: string): Promise<void>
}

/** Channel to this origin's other tabs. */
export type TabChannel = { post(message: unknown): void; close(): void }

export type OpenFrameOptions = {
  url: string
  elementId: string
  containerId: string
  /** Timeout of one response, in milliseconds. */
  timeoutMs: number
  /**
   * Whether users see the frame. A visible frame is added to an existing container, whose style does not change, and may
   * write to the clipboard.
   * @default false
   */
  visible?: boolean | undefined
  /**
   * Title of the frame for screen readers.
   * @default 'Sign-in keys', or 'Wallet export' when visible
   */
  title?: string | undefined
}

/** Window of an identity provider. */
export type ProviderWindow = {
  /** Navigates the window to the provider, and resolves with the first message that the window sends from `origin`. */
  ask(parameters: { url: string; origin: string; signal: AbortSignal }): Promise<unknown>
  isClosed(): boolean
  close(): void
}

/** Access to identity providers, in a window or by leaving the page. */
export type ProviderPort = {
  /** Opens a window; null if the browser blocks it. */
  open(): ProviderWindow | null
  /** Navigates this page to the provider. */
  leave(url: string): void
  /** Returns the page's address. */
  address(): string
}

/** Parts of a page needed before there is a signer. */
export type Page = {
  /** Reads the e-mail link's data from the address and removes them there. Null if there are none. */
  readLink(): Link | null
  /**
   * Keeps the link that `unused` returns when the page is left, for `readLink` after a reload. Returns an unsubscribe
   * function.
   */
  keepLink?(unused: () => Link | null): () => void
  storage(kind: 'localStorage' | 'sessionStorage'): StoragePort
  /** Subscribes to other tabs' writes. `key` is null when everything was cleared. Returns an unsubscribe function. */
  onStorageChange(listener: (key: string | null) => void): () => void
  /** Whether the user activation is still valid for a passkey prompt; undefined if unknown. */
  isPressed?(): boolean | undefined
}

/** Replacement of a signer by a later one of the same stored session, for example when a module is reloaded. */
export type Succession = {
  /** Storage key of the session. */
  session: string
  /** Ends this signer and returns true; returns false and does nothing if the signer is in use. */
  giveWay(): boolean
}

/** Parts of the page that the signer needs. `webPlatform()` is the browser's. */
export type Platform = Page & {
  openFrame(options: OpenFrameOptions): Frame
  /**
   * Claims the session key that an origin's auth frame keeps for this page: all frames of the origin share it. Returns
   * false if another owner has the key and does not release it. Absent: nothing is checked.
   */
  claimFrameKey?(origin: string, owner: object, succession?: Succession): boolean
  /** Releases the keys of `owner`. */
  releaseFrameKeys?(owner: object): void
  /** Calls the listener when the user returns to this page. Returns an unsubscribe function. */
  onReturn?(listener: () => void): () => void
  /**
   * Opens the channel of this name to the other tabs of this origin; null if the browser refuses. Absent: an e-mail
   * link that only another tab can open is not passed to that tab.
   */
  openTabChannel?(name: string, onMessage: (message: unknown) => void): TabChannel | null
  /** Absent: identity providers cannot be used. */
  providers?: ProviderPort | undefined
  /** Absent: passkeys fail with `PASSKEY_UNSUPPORTED`. */
  passkeys?: PasskeyPort | undefined
  /** Absent: `device` sessions cannot be created. */
  deviceKeys?: DeviceKeyPort | undefined
}
