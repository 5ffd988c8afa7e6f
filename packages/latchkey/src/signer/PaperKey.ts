import type { Address, Hex, SignableMessage } from 'viem'

/** The frame is appended to the element with the id `iframeContainerId`. */
export type CreatePaperKeyParameters = {
  iframeContainerId: string
  /** @default 'latchkey-paper-key' */
  iframeElementId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Key that a user has just made on paper. */
export type PaperKey = {
  address: Address
  /** Owner that proves that it can sign. It signs nothing else. */
  owner: PaperKeyOwner
  /** Removes the frame. The key then exists on paper only. */
  close(): void
}

export type PaperKeyOwner = {
  readonly signerType: string
  readonly signsMessagesOnly: true
  getAddress(): Promise<Address>
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedData(): Promise<never>
}
