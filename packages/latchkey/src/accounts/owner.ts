import type { Address, Hex, LocalAccount, SignableMessage, TypedDataDefinition } from 'viem'

/** What an account needs of its owner: an address and two kinds of signature. */
export type SmartAccountOwner = {
  /** Sent to the provider as a header; see `signerTypes` of the wire. */
  readonly signerType: string
  getAddress(): Promise<Address>
  /** EIP-191. 65 bytes, `v` 27 or 28. */
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  /** EIP-712. 65 bytes, `v` 27 or 28. */
  signTypedData(definition: TypedDataDefinition): Promise<Hex>
}

/** An owner, or a viem local account, such as `privateKeyToAccount(…)` or `signer.toViemAccount()`. */
export type OwnerParameter = SmartAccountOwner | LocalAccount
