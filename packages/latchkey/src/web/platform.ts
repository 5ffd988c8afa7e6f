import type { Attestation, WebauthnStamp } from 'latchkey-protocol'
import type { StoragePort } from '../core/storage/StoragePort.ts'

/** What a mail link left in the page's address. */
export type Link = {
  /** Credential bundle; absent when the address only carries `aa-is-signup`. */
  bundle?: string | undefined
  orgId?: string | undefined
  /** `aa-is-signup=true` was there. */
  isSignup: boolean
  /** Where it had led to. */
  address?: string | undefined
}

/** Further members of a message, as an export or import bundle has them. */
export type FrameExtra = { organizationId?: string; userId?: string; keyFormat?: string }

/** A hosted frame in this page. One request at a time or many: each response is matched by its id. */
export type Frame = {
  readonly url: string
  /** Whether it can still reply: false once it was closed, or the page has removed, moved or reloaded it. */
  isAlive(): boolean
  /** False once the frame has said that its browser keeps nothing for it. Absent: true. */
  isKept?(): boolean
  /** Embedded public key: uncompressed P-256 point, 130 hex digits. Made by the frame when it has none. */
  publicKey(): Promise<string>
  /**
   * Sends one message and waits for its response; the value of an `ERROR` response becomes `FRAME_FAILED`. `timeoutMs`
   * replaces the frame's own for this message.
   */
  request(type: string, value?: unknown, timeoutMs?: number, extra?: FrameExtra): Promise<unknown>
  /** Removes the frame from the page. Requests still waiting fail. */
  close(): void
}

/** The DOM's type of that name, whose place apps outside of a page would miss. */
type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer

/**
 * Options of a new passkey, in the shape of the DOM's `CredentialCreationOptions` (WebAuthn L3 § 5.4); such a value
 * fits. Anything but `challenge` and `pubKeyCredParams`, which are fixed, may be overridden.
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
        /** How long the person may take, in milliseconds. */
        timeout?: number
        /** Fixed by the wire; ignored. */
        challenge?: BufferSource
        /** Fixed by the wire: ES256 and RS256; ignored. */
        pubKeyCredParams?: readonly { alg: number; type: 'public-key' }[]
      }
    | undefined
  signal?: AbortSignal | undefined
}

/** A passkey just made, beside the challenge it was made for (base64url of 32 random bytes). */
export type NewPasskey = { challenge: string; attestation: Attestation }

export type PasskeyCreateParameters = {
  /**
   * Name the authenticator shows.
   * @default the relying party, day and time
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
  /** base64url. The only passkey allowed; without it the person chooses among those of the relying party. */
  credentialId?: string | undefined
  /** Offers the passkeys in the autofill of a form field instead of a prompt. */
  isConditional?: boolean | undefined
  /** Only passkeys that are at hand: where there is none, it fails at once and nothing is shown. */
  isImmediate?: boolean | undefined
  signal?: AbortSignal | undefined
}

export type PasskeyForgetParameters = {
  /** @default the page's host name */
  rpId?: string | undefined
  /** base64url. */
  credentialId: string
}

/** The page's passkeys. The signer asks for one prompt at a time: browsers refuse a second. */
export type PasskeyPort = {
  create(parameters: PasskeyCreateParameters): Promise<NewPasskey>
  stamp(parameters: PasskeyStampParameters): Promise<WebauthnStamp>
  /** Has the device offer a passkey no longer, where the browser can. */
  forget?(parameters: PasskeyForgetParameters): Promise<void>
  /** Whether the browser can offer passkeys in the autofill of a form field. */
  hasConditional?(): Promise<boolean>
  /** Whether the browser can prompt for passkeys at hand only. */
  hasImmediate?(): Promise<boolean>
}

/** A `CryptoKey` by its shape (Web Cryptography Level 2, § 13): Node's types do not name it for everyone. */
type KeyHandle = {
  readonly algorithm: { name: string }
  readonly extractable: boolean
  readonly type: 'private' | 'public' | 'secret'
  readonly usages: ('decrypt' | 'deriveBits' | 'deriveKey' | 'encrypt' | 'sign' | 'unwrapKey' | 'verify' | 'wrapKey')[]
}

/** A `CryptoKeyPair` fits. */
type KeyPair = { publicKey: KeyHandle; privateKey: KeyHandle }

/** Where key pairs of this browser are kept, by name. */
export type DeviceKeyPort = {
  /** Keeps a pair; those past their time are removed. */
  put(name: string, pair: KeyPair, expiresAtMs: number): Promise<void>
  get(name: string): Promise<KeyPair | null>
  remove(name: string): Promise<void>
}

/** A channel to this origin's other tabs. */
export type TabChannel = { post(message: unknown): void; close(): void }

export type OpenFrameOptions = {
  url: string
  elementId: string
  containerId: string
  /** How long one response may take, in milliseconds. */
  timeoutMs: number
  /**
   * A frame people look at: it is added to a container that must exist, whose style is not touched, and may write to
   * the clipboard.
   * @default false
   */
  visible?: boolean | undefined
  /**
   * Title of the frame, for people who use a screen reader.
   * @default 'Sign-in keys', or 'Wallet export' when visible
   */
  title?: string | undefined
}

/** What is needed of a page before there is a signer. */
export type Page = {
  /** Reads what a mail link left in the address and removes it there. Null when there is nothing. */
  readLink(): Link | null
  storage(kind: 'localStorage' | 'sessionStorage'): StoragePort
  /** News of another tab's write. `key` is null when everything was cleared. Returns an unsubscribe. */
  onStorageChange(listener: (key: string | null) => void): () => void
  /** Whether a press of the person still counts, so that a passkey may be asked for; undefined where nothing is known. */
  isPressed?(): boolean | undefined
}

/** How a later signer of the same stored session takes this one's place, as when a module is loaded again. */
export type Succession = {
  /** Names the stored session. */
  session: string
  /** Ends this signer. False: it is in use, and stays. */
  giveWay(): boolean
}

/** All that the signer needs of the page it runs in. `webPlatform()` is the browser's. */
export type Platform = Page & {
  openFrame(options: OpenFrameOptions): Frame
  /**
   * Takes the session key that an origin's auth frame keeps for this page: all frames of the origin share it. False while
   * another owner has it that does not give way. Absent: nothing is checked.
   */
  claimFrameKey?(origin: string, owner: object, succession?: Succession): boolean
  /** Gives up what `owner` has. */
  releaseFrameKeys?(owner: object): void
  /** Calls the listener when the person comes back to this page. Returns an unsubscribe. */
  onReturn?(listener: () => void): () => void
  /**
   * Opens the channel of this name to the other tabs of this origin; null where the browser refuses. Absent: a mail link
   * that only another tab can open is not handed to it.
   */
  openTabChannel?(name: string, onMessage: (message: unknown) => void): TabChannel | null
  /** Absent: passkeys fail with `PASSKEY_UNSUPPORTED`. */
  passkeys?: PasskeyPort | undefined
  /** Absent: sessions of the kind `device` cannot be made. */
  deviceKeys?: DeviceKeyPort | undefined
}
