import type { Address, Hex, SignableMessage, TypedDataDefinition } from 'viem'

/** Message or typed data that an account hashes and wraps (ERC-1271). */
export type SignedContent = { message: SignableMessage } | { typedData: TypedDataDefinition }

/** User operation to sign. For signers whose service inspects the content. */
export type OperationContent = {
  chainId: number
  entryPoint: Address
  /** The operation, without or with a signature. */
  operation: { nonce?: bigint | undefined }
}

/** `hash`: hash of the operation, for signers that sign only digests. */
export type SignUserOperationParameters = OperationContent & { hash: Hex }
