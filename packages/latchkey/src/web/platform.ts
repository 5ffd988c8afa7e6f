import type { StoragePort } from '../core/storage/StoragePort.ts'

/** What a mail link left in the page's address. */
export type Link = {
  /** Credential bundle; absent when the address only carries `aa-is-signup`. */
  bundle?: string | undefined
  orgId?: string | undefined
  /** `aa-is-signup=true` was there. */
  isSignup: boolean
}

/** A hosted frame in this page. One request at a time or many: each answer is matched by its id. */
export type Frame = {
  readonly url: string
  /** Embedded public key: uncompressed P-256 point, 130 hex digits. Made by the frame when it has none. */
  publicKey(): Promise<string>
  /**
   * Sends one message and waits for its answer; the value of an `ERROR` answer becomes `FRAME_FAILED`. `timeoutMs`
   * replaces the frame's own for this message.
   */
  request(type: string, value?: unknown, timeoutMs?: number): Promise<unknown>
  /** Removes the frame from the page. Requests still waiting fail. */
  close(): void
}

/**
 * What may be said about a new passkey, in the shape of the DOM's `CredentialCreationOptions` (WebAuthn Level 3
 * § 5.4); such a value fits. Anything but `challenge` and `pubKeyCredParams`, which are fixed, may be overridden.
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

export type OpenFrameOptions = {
  url: string
  elementId: string
  containerId: string
  /** How long one answer may take, in milliseconds. */
  timeoutMs: number
}

/** All that the signer needs of the page it runs in. `webPlatform()` is the browser's. */
export type Platform = {
  /** Reads what a mail link left in the address and removes it there. Null when there is nothing. */
  readLink(): Link | null
  storage(kind: 'localStorage' | 'sessionStorage'): StoragePort
  /** News of another tab's write. `key` is null when everything was cleared. Returns an unsubscribe. */
  onStorageChange(listener: (key: string | null) => void): () => void
  openFrame(options: OpenFrameOptions): Frame
}
