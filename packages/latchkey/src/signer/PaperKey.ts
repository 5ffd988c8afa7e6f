import type { Address, Hex, SignableMessage } from 'viem'

/** Elements of the frame. The frame is appended to the element with the id `iframeContainerId`. */
export type CreatePaperKeyParameters = {
  iframeContainerId: string
  /** @default 'latchkey-paper-key' */
  iframeElementId?: string | undefined
  signal?: AbortSignal | undefined
}

/** Key that a user has just written on paper. */
export type PaperKey = {
  address: Address
  /** Owner that signs only the proof that it can sign. */
  owner: PaperKeyOwner
  /** Removes the frame. Afterwards, the key exists only on paper. */
  close(): void
}

export type PaperKeyOwner = {
  readonly signerType: string
  readonly signsMessagesOnly: true
  getAddress(): Promise<Address>
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedData(): Promise<never>
}
