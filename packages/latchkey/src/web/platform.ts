import type { Attestation, WebauthnStamp } from 'latchkey-protocol'
import type { StoragePort } from '../core/storage/StoragePort.ts'

/** Data of an e-mail link, read from the page's URL. */
export type Link = {
  /** Credential bundle; undefined if the URL contains only `aa-is-signup`. */
  bundle?: string | undefined
  orgId?: string | undefined
  /** Whether `aa-is-signup=true` was present. */
  isSignup: boolean
  /** Query string of the page's URL that contained the link. */
  query?: string | undefined
  /** Whether `bundle` is the response of an identity provider. */
  isOauth?: boolean | undefined
}

/** Additional members of a frame message that contains an export or import bundle. */
export type FrameExtra = { organizationId?: string; userId?: string; keyFormat?: string }

/** Hosted frame in this page. Requests may run concurrently; responses are matched to requests by id. */
export type Frame = {
  readonly url: string
  /** Whether the frame can still reply. False once it is closed, or the page has removed, moved or reloaded it. */
  isAlive(): boolean
  /**
   * Returns false if the frame has reported that the browser blocks its storage. Without this method, storage is
   * assumed to work.
   */
  isKept?(): boolean
  /** Returns the frame's public key: uncompressed P-256 point, 130 hex digits. The frame creates a missing key. */
  publicKey(): Promise<string>
  /**
   * Sends one message and waits for its response. An `ERROR` response rejects with `FRAME_FAILED`. `timeoutMs` replaces
   * the frame's timeout for this message.
   */
  request(type: string, value?: unknown, timeoutMs?: number, extra?: FrameExtra): Promise<unknown>
  /** Removes the frame from the page. Pending requests fail. */
  close(): void
}

/** Equal to the DOM's `BufferSource`, which is undefined in projects without the DOM types. */
type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer

/**
 * Options of a new passkey, compatible with the DOM's `CredentialCreationOptions` (WebAuthn L3 § 5.4). `challenge` and
 * `pubKeyCredParams` are fixed; all other options may be overridden.
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
        /** Ignored: the protocol defines the challenge. */
        challenge?: BufferSource
        /** Ignored: the protocol requires ES256 and RS256. */
        pubKeyCredParams?: readonly { alg: number; type: 'public-key' }[]
      }
    | undefined
  signal?: AbortSignal | undefined
}

/** New passkey and its challenge (base64url of 32 random bytes). */
export type NewPasskey = {
  challenge: string
  attestation: Attestation
  /** Transports reported by the browser, in WebAuthn's names; undefined if the browser reported none. */
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
  /** Passkey ID, base64url. Without it, the user chooses among the relying party's passkeys. */
  credentialId?: string | undefined
  /** Transports of that passkey, if known. The browser tries no other transports. */
  transports?: readonly string[] | undefined
  /** Offers passkeys in the autofill of a form field instead of a prompt. */
  isConditional?: boolean | undefined
  /** Limits the prompt to passkeys on the device. If there are none, fails immediately without showing a prompt. */
  isImmediate?: boolean | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyForgetParameters = {
  /** @default the page's host name */
  rpId?: string | undefined
  /** base64url. */
  credentialId: string
}

/** Passkeys of the page. The signer opens one prompt at a time, because browsers refuse a second prompt. */
export type PasskeyPort = {
  create(parameters: PasskeyCreateParameters): Promise<NewPasskey>
  stamp(parameters: PasskeyStampParameters): Promise<WebauthnStamp>
  /** Reports a deleted passkey to the browser, if supported, so that the device stops offering it. */
  forget?(parameters: PasskeyForgetParameters): Promise<void>
  /** Whether the browser can offer passkeys in the autofill of a form field. */
  hasConditional?(): Promise<boolean>
  /** Whether the browser supports prompts limited to passkeys on the device. */
  hasImmediate?(): Promise<boolean>
}

/**
 * Structural type of a `CryptoKey` (Web Cryptography Level 2, § 13), which some versions of Node's types do not
 * declare.
 */
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
  /** Stores a key pair and removes expired pairs. */
  put(name: string, pair: KeyPair, expiresAtMs: number): Promise<void>
  get(name: string): Promise<KeyPair | null>
  remove(name: string): Promise<void>
}

/** Message channel to this origin's other tabs. */
export type TabChannel = { post(message: unknown): void; close(): void }

export type OpenFrameOptions = {
  url: string
  elementId: string
  containerId: string
  /** Timeout of one response, in milliseconds. */
  timeoutMs: number
  /**
   * Whether users see the frame. A visible frame is added to an existing container, whose style does not change. The
   * frame may write to the clipboard.
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
  /** Returns the page's URL. */
  address(): string
}

/** Page functions needed before there is a signer. */
export type Page = {
  /** Reads an e-mail link's data and removes it from the page's URL. Returns null without a link. */
  readLink(): Link | null
  /**
   * When the page is left, stores the link that `unused` returns, so that `readLink` finds it after a reload. Returns
   * an unsubscribe function.
   */
  keepLink?(unused: () => Link | null): () => void
  storage(kind: 'localStorage' | 'sessionStorage'): StoragePort
  /**
   * Subscribes to writes by other tabs. `key` is null if the whole storage was cleared. Returns an unsubscribe
   * function.
   */
  onStorageChange(listener: (key: string | null) => void): () => void
  /** Whether a recent click still allows a passkey prompt (user activation); undefined if unknown. */
  isPressed?(): boolean | undefined
}

/** Lets a later signer of the same stored session replace this signer, for example when a module is reloaded. */
export type Succession = {
  /** Storage key of the session. */
  session: string
  /** Ends this signer and returns true. If the signer is in use, does nothing and returns false. */
  giveWay(): boolean
}

/** Page functions that the signer needs. `webPlatform()` returns the browser's. */
export type Platform = Page & {
  openFrame(options: OpenFrameOptions): Frame
  /**
   * Claims the session key in the auth frame of `origin` for `owner`: all frames of one origin share the key. Returns
   * false if another owner holds the key and does not release it. Without this method, nothing is checked.
   */
  claimFrameKey?(origin: string, owner: object, succession?: Succession): boolean
  /** Releases the keys of `owner`. */
  releaseFrameKeys?(owner: object): void
  /** Calls the listener when the user returns to this page. Returns an unsubscribe function. */
  onReturn?(listener: () => void): () => void
  /**
   * Opens the channel `name` to other tabs of this origin; null if the browser refuses. Without this method, an e-mail
   * link works only in the tab that has its key.
   */
  openTabChannel?(name: string, onMessage: (message: unknown) => void): TabChannel | null
  /** Without it, identity providers cannot be used. */
  providers?: ProviderPort | undefined
  /** Without it, passkeys fail with `PASSKEY_UNSUPPORTED`. */
  passkeys?: PasskeyPort | undefined
  /** Without it, `device` sessions cannot be created. */
  deviceKeys?: DeviceKeyPort | undefined
}
