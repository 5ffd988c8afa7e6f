import type { Address } from 'viem'

/** Elements of the import frame. The user enters the secret in the frame, so the page cannot read it. */
export type ImportWalletParameters = {
  /** Id of the page element that will contain the frame. */
  iframeContainerId: string
  /** @default 'turnkey-import-iframe' */
  iframeElementId?: string | undefined
  /**
   * Type of secret to import: a seed phrase or a private key.
   * @default 'phrase'
   */
  secret?: 'phrase' | 'key' | undefined
  /**
   * Name of the new wallet or key.
   * @default `imported-${ms}`
   */
  name?: string | undefined
}

/** Import in progress. */
export type WalletImport = {
  /**
   * Where the user enters the secret. `frame`: in the import frame, which is open. `confirmation`: on the page of an
   * email, which `submit` requests.
   */
  takenBy: 'frame' | 'confirmation'
  /**
   * Sends the input, which the frame encrypts for the key-custody service; or waits until the user has entered the secret
   * on the page of the email (`CONFIRMATION_REFUSED`, `CONFIRMATION_EXPIRED`). After `FRAME_FAILED` (invalid input) or
   * `FRAME_DECLINED` (declined by the user), call `submit` again. If the service refuses the input, start another
   * import.
   */
  submit(): Promise<{ addresses: Address[] }>
  /** Removes the frame, or ends the wait with `ABORTED`. */
  close(): void
}
