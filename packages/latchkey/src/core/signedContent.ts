import type { Address, Hex, SignableMessage, TypedDataDefinition } from 'viem'

/** Message or typed data whose hash is in an account's wrapper (ERC-1271). */
export type SignedContent = { message: SignableMessage } | { typedData: TypedDataDefinition }

/** User operation to sign, for keys whose service reads the content that it signs. */
export type OperationContent = {
  chainId: number
  entryPoint: Address
  /** The operation, without or with a signature. */
  operation: { nonce?: bigint | undefined }
}

/** `hash`: hash of the operation, for services that sign only digests. */
export type SignUserOperationParameters = OperationContent & { hash: Hex }
