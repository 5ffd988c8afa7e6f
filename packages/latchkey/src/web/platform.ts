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
