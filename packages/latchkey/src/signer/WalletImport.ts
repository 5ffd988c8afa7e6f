import type { Address } from 'viem'

/** Elements of the import frame. The user types the secret into the frame, so the page never sees it. */
export type ImportWalletParameters = {
  /** Id of the page element to which the frame is added. */
  iframeContainerId: string
  /** @default 'turnkey-import-iframe' */
  iframeElementId?: string | undefined
  /**
   * Kind of secret to import: a seed phrase or a private key.
   * @default 'phrase'
   */
  secret?: 'phrase' | 'key' | undefined
  /**
   * Name of the new wallet or key.
   * @default `imported-${ms}`
   */
  name?: string | undefined
}

/** Open import, whose frame waits for the user's input. */
export type WalletImport = {
  /**
   * Sends the input, encrypted by the frame for the key-custody service. After `FRAME_FAILED` (invalid input) or
   * `FRAME_DECLINED` (declined by the user) call `submit` again; after a refusal by the service, open another import.
   */
  submit(): Promise<{ addresses: Address[] }>
  /** Removes the frame. */
  close(): void
}
