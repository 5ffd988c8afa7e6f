import type { Address } from 'viem'

/** Where the import frame goes: the person types the secret into it, and the page never sees it. */
export type ImportWalletParameters = {
  /** Id of an element of the page. The frame is added to it. */
  iframeContainerId: string
  /** @default 'turnkey-import-iframe' */
  iframeElementId?: string | undefined
  /**
   * What the person has: a seed phrase or a private key.
   * @default 'phrase'
   */
  secret?: 'phrase' | 'key' | undefined
  /**
   * Name of the new wallet or key.
   * @default `imported-${ms}`
   */
  name?: string | undefined
}

/** An import whose frame waits for the person to type. */
export type WalletImport = {
  /**
   * Sends what was typed, sealed by the frame for the key-custody service. What the frame refuses (`FRAME_FAILED`) or
   * the person declines there (`FRAME_DECLINED`) can be typed and submitted again; after a refusal of the service open
   * another import.
   */
  submit(): Promise<{ addresses: Address[] }>
  /** Removes the frame. */
  close(): void
}
