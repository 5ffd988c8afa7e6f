import { type Client, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { requireBytes, requireHash } from '../../core/arguments.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { type AccountParameter, addressOf } from './addressOf.ts'
import { callView } from './callView.ts'

/** ERC-1271. */
const abi = /* @__PURE__ */ parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
const magicValue = '0x1626ba7e'

export declare namespace readIsValidSignature {
  type Parameters = AccountParameter & {
    /** Hash of the message: EIP-191 or EIP-712. */
    hash: Hex
    signature: Hex
  }
  type ReturnType = boolean
  type ErrorType = BaseError
}

/**
 * Whether a deployed account accepts a signature (ERC-1271). A signature it reverts on is not accepted; nor is any
 * while the account is undeployed, for which see viem's `verifyMessage` (ERC-6492). Throws `ACCOUNT_NOT_FOUND`,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 */
export async function readIsValidSignature(
  client: Client,
  { hash, signature, ...account }: readIsValidSignature.Parameters,
): Promise<readIsValidSignature.ReturnType> {
  const address = addressOf(client, account)
  const args = [requireHash(hash), requireBytes('The signature', signature)] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
  const action = 'Could not ask the account about the signature.'
  const answer = await callView({ client, address, data, action })
  return answer !== undefined && answer === magicValue.padEnd(66, '0')
}
