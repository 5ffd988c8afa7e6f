import {
  type Address,
  type Hex,
  hashMessage,
  hashTypedData,
  type SignableMessage,
  type TypedDataDefinition,
} from 'viem'
import { requireHash } from '../core/arguments.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import { dummyEcdsaSignature } from './dummyEcdsaSignature.ts'
import type { SmartAccountOwner } from './owner.ts'

export declare namespace signersOf {
  type Parameters = {
    contract: AccountContract
    owner: SmartAccountOwner
    ownerAddress: Address
    address: Address
    chainId: number
  }
  type ReturnType = {
    /** ERC-1271 signature of a digest. Throws `ARGUMENT_INVALID`. */
    hash(hash: Hex): Promise<Hex>
    /** ERC-1271 signature of an EIP-191 message. */
    message(message: SignableMessage): Promise<Hex>
    /** ERC-1271 signature of EIP-712 typed data. Throws `CHAIN_MISMATCH`. */
    typedData(definition: TypedDataDefinition): Promise<Hex>
    /** Signature of a user operation, by its hash (ERC-4337). Throws `ARGUMENT_INVALID`. */
    operation(hash: Hex): Promise<Hex>
    /** A signature of the right form for gas estimation. */
    dummy(): Promise<Hex>
  }
}

/**
 * What an owner signs for an account. Messages and typed data go into the contract's own EIP-712 wrapper, which names
 * the account and the chain, so that one account's signature is no use to another of the same owner.
 */
export function signersOf(parameters: signersOf.Parameters): signersOf.ReturnType {
  const { contract, owner, ownerAddress, address, chainId } = parameters
  const { erc1271, source, version } = contract
  const isContract = owner.isContract === true
  const wrap = (signature: Hex) =>
    contract.wrapSignature?.(signature, { address: ownerAddress, isContract }) ?? signature
  const bare = (hash: Hex) => {
    if (owner.sign) return owner.sign({ hash })
    throw unsupported('The owner cannot sign a bare hash.', 'Give it a `sign({ hash })`.')
  }
  const signHash = async (hash: Hex) => {
    if (erc1271 === 'none') throw unsupported(`${source} ${version} doesn't support 1271`, 'Use a later version.')
    return wrap(await (erc1271 === 'bare' ? bare(hash) : owner.signTypedData(erc1271({ hash, address, chainId }))))
  }
  return {
    hash: async (hash) => signHash(requireHash(hash)),
    message: async (message) => (erc1271 === 'bare' ? owner.signMessage({ message }) : signHash(hashMessage(message))),
    typedData: async (definition) => {
      assertChain(definition, chainId)
      return erc1271 === 'bare' ? owner.signTypedData(definition) : signHash(hashTypedData(definition))
    },
    // A key signs the EIP-191 hash of an operation's hash; a contract is asked about the hash itself.
    operation: async (given) => {
      const hash = requireHash(given)
      return wrap(await (isContract ? bare(hash) : owner.signMessage({ message: { raw: hash } })))
    },
    dummy: async () => wrap((await owner.getStubSignature?.()) ?? dummyEcdsaSignature),
  }
}

/** A signature for another chain would be refused there: the account's wrapper names this one. */
function assertChain({ domain }: TypedDataDefinition, chainId: number): void {
  const named = domain?.chainId
  if (named === undefined || named === null || Number(named) === chainId) return
  throw new BaseError(`The typed data is for chain ${named}, but the account is on chain ${chainId}.`, {
    code: 'CHAIN_MISMATCH',
    metaMessages: ['Sign with an account whose client is on that chain.'],
  })
}

function unsupported(message: string, hint: string): BaseError {
  return new BaseError(message, { code: 'SIGNATURE_UNSUPPORTED', metaMessages: [hint] })
}
