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
import type { OperationContent, SignedContent } from '../core/signedContent.ts'
import type { AccountContract, SignedBy } from './contract.ts'
import type { SmartAccountOwner } from './owner.ts'

export declare namespace createSigningMethods {
  type Parameters = {
    contract: AccountContract
    owner: SmartAccountOwner
    ownerAddress: Address
    /** Address of the account. */
    address: Address
    chainId: number
  }
  type ReturnType = {
    /** Signs a digest (ERC-1271). @throws `ARGUMENT_INVALID`, `SIGNATURE_UNSUPPORTED`. */
    sign(parameters: { hash: Hex }): Promise<Hex>
    /** Signs an EIP-191 message (ERC-1271). @throws `SIGNATURE_UNSUPPORTED`. */
    signMessage(parameters: { message: SignableMessage }): Promise<Hex>
    /** Signs EIP-712 typed data (ERC-1271). @throws `CHAIN_MISMATCH`, `SIGNATURE_UNSUPPORTED`. */
    signTypedData(definition: TypedDataDefinition): Promise<Hex>
    /**
     * Signs a user operation by its hash (ERC-4337). `content`: the operation itself, for an owner whose service
     * inspects it.
     *
     * @throws `ARGUMENT_INVALID`, `SIGNATURE_UNSUPPORTED`.
     */
    signUserOperationHash(hash: Hex, content?: OperationContent | undefined): Promise<Hex>
    /** Returns a signature of realistic length, for gas estimation. */
    getStubSignature(operation?: { nonce?: bigint | undefined }): Promise<Hex>
    /** Checks whether the account verifies typed data without a wrapper. */
    isUnwrapped(definition: TypedDataDefinition): boolean
  }
}

/**
 * Creates an owner's signing methods for an account. Wraps messages and typed data in the contract's EIP-712 struct,
 * which contains account and chain, so that a signature is not valid for another account of the same owner.
 */
export function createSigningMethods(parameters: createSigningMethods.Parameters): createSigningMethods.ReturnType {
  const { contract, owner, ownerAddress, address, chainId } = parameters
  const { erc1271, source, version } = contract
  const isContract = owner.isContract === true
  const wrap = (signature: Hex, use: SignedBy['use'] = 'message', nonce?: bigint) =>
    contract.wrapSignature?.(signature, { address: ownerAddress, isContract, use, nonce }) ?? signature
  const isUnwrapped = (definition: TypedDataDefinition) => contract.isUnwrapped?.(definition, address) === true
  const signBare = (hash: Hex) => {
    if (owner.sign) return owner.sign({ hash })
    throw unsupportedError('The owner cannot sign a bare hash.', 'Give it a `sign({ hash })`.')
  }
  const signWrapped = async (hash: Hex, content?: SignedContent) => {
    if (erc1271 === 'none') {
      throw unsupportedError(`${source} ${version} doesn't support 1271`, 'Use a later version.')
    }
    const isBare = erc1271 === 'bare'
    return wrap(await (isBare ? signBare(hash) : owner.signTypedData(erc1271({ hash, address, chainId }), content)))
  }
  return {
    sign: async ({ hash }) => signWrapped(requireHash(hash)),
    signMessage: async ({ message }) =>
      erc1271 === 'bare' ? owner.signMessage({ message }) : signWrapped(hashMessage(message), { message }),
    signTypedData: async (definition) => {
      requireSameChain(definition, chainId)
      if (isUnwrapped(definition)) return wrap(await owner.signTypedData(definition), 'action')
      return erc1271 === 'bare'
        ? owner.signTypedData(definition)
        : signWrapped(hashTypedData(definition), { typedData: definition })
    },
    // A key signs the EIP-191 hash of the operation's hash. For most accounts, a contract owner signs the operation's
    // hash itself.
    signUserOperationHash: async (given, content) => {
      const hash = requireHash(given)
      const signBareHash = contract.isOperationBare || (isContract && !contract.isOperationPrefixed)
      const signature = await (content && owner.signUserOperation
        ? owner.signUserOperation({ ...content, hash })
        : signBareHash
          ? signBare(hash)
          : owner.signMessage({ message: { raw: hash } }))
      return wrap(signature, 'operation', content?.operation.nonce)
    },
    getStubSignature: async (operation) =>
      wrap((await owner.getStubSignature?.()) ?? ecdsaStubSignature, 'operation', operation?.nonce),
    isUnwrapped,
  }
}

/** Signature with 65 bytes from which a public key can be recovered. */
const ecdsaStubSignature: Hex =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'

/** Rejects typed data for another chain, because the account's wrapper contains the account's chain. */
function requireSameChain({ domain }: TypedDataDefinition, chainId: number): void {
  const named = domain?.chainId
  if (named === undefined || named === null || Number(named) === chainId) return
  throw new BaseError(`The typed data is for chain ${named}, but the account is on chain ${chainId}.`, {
    code: 'CHAIN_MISMATCH',
    metaMessages: ['Sign with an account whose client is on that chain.'],
  })
}

function unsupportedError(message: string, hint: string): BaseError {
  return new BaseError(message, { code: 'SIGNATURE_UNSUPPORTED', metaMessages: [hint] })
}
