import {
  type Address,
  type Hex,
  hashMessage,
  hashTypedData,
  type SignableMessage,
  type TypedDataDefinition,
} from 'viem'
import type { AccountContract } from './contract.ts'
import type { SmartAccountOwner } from './owner.ts'

export declare namespace signersOf {
  type Parameters = { contract: AccountContract; owner: SmartAccountOwner; address: Address; chainId: number }
  type ReturnType = {
    /** ERC-1271 signature of a digest. */
    hash(hash: Hex): Promise<Hex>
    /** ERC-1271 signature of an EIP-191 message. */
    message(message: SignableMessage): Promise<Hex>
    /** ERC-1271 signature of EIP-712 typed data. */
    typedData(definition: TypedDataDefinition): Promise<Hex>
    /** Signature of a user operation, by its hash (ERC-4337). */
    operation(hash: Hex): Promise<Hex>
  }
}

/**
 * What an owner signs for an account. Messages and typed data go into the contract's own EIP-712 wrapper, which names
 * the account and the chain, so that one account's signature is no use to another of the same owner.
 */
export function signersOf(parameters: signersOf.Parameters): signersOf.ReturnType {
  const { contract, owner, address, chainId } = parameters
  const signHash = async (hash: Hex) =>
    contract.wrapSignature(await owner.signTypedData(contract.typedDataOf({ hash, address, chainId })))
  return {
    hash: signHash,
    message: async (message) => signHash(hashMessage(message)),
    typedData: async (definition) => signHash(hashTypedData(definition)),
    operation: async (hash) => contract.wrapSignature(await owner.signMessage({ message: { raw: hash } })),
  }
}
