import { type Client, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { requireBytes, requireHash } from '../../core/arguments.ts'
import { type AccountParameter, callView, requireAccountAddress } from './callView.ts'

/** ERC-1271. */
const abi = /* @__PURE__ */ parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
const magicValue = '0x1626ba7e'

export declare namespace readIsValidSignature {
  type Parameters = AccountParameter & {
    /** Hash of the message, by EIP-191 or EIP-712. */
    hash: Hex
    signature: Hex
  }
  type ReturnType = boolean
}

/**
 * Checks whether a deployed account accepts a signature (ERC-1271). Returns false if the check reverts. For an account
 * that is not deployed, use viem's `verifyMessage` instead (ERC-6492).
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { readIsValidSignature } from 'latchkey/accounts'
 * import { hashMessage } from 'viem'
 * import { account, publicClient } from './config.ts'
 *
 * const signature = await account.signMessage({ message: 'hello' })
 * const { address } = account
 * console.log(await readIsValidSignature(publicClient, { address, hash: hashMessage('hello'), signature }))
 * ```
 */
export async function readIsValidSignature(
  client: Client,
  { hash, signature, ...parameters }: readIsValidSignature.Parameters,
): Promise<readIsValidSignature.ReturnType> {
  const address = requireAccountAddress(client, parameters.address)
  const args = [requireHash(hash), requireBytes('The signature', signature)] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
  const action = 'Could not ask the account about the signature.'
  const result = await callView({ client, address, data, action })
  return result === magicValue.padEnd(66, '0')
}
