import { type Hex, type LocalAccount, zeroAddress } from 'viem'
import { getTransactionCount, prepareTransactionRequest, sendRawTransaction } from 'viem/actions'
import { BaseError } from '../../core/errors/BaseError.ts'
import { convertRpcErrors } from '../errors/RpcError.ts'
import type { ReadClient } from '../types.ts'

export declare namespace undelegate {
  type Parameters = {
    /** Client of the chain on which to end the delegation. */
    client: ReadClient
    /** Private key of the address: a viem local account, such as `signer.toViemAccount()`. */
    owner: LocalAccount
  }
  /** Hash of the transaction. */
  type ReturnType = Hex
}

/**
 * Ends the EIP-7702 delegation of a key's address, whichever code it delegates to. Assets and account storage remain at
 * the address.
 *
 * Sends a transaction from the address, which pays for its gas. A user operation cannot end the delegation, because the
 * account has no code afterwards.
 *
 * @throws `SIGNATURE_UNSUPPORTED` if the key cannot sign authorizations; errors of signing and of the node.
 *
 * @example
 * ```ts
 * import { undelegate } from 'latchkey/accounts'
 * import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
 * import { publicClient } from './config.ts'
 *
 * const owner = privateKeyToAccount(generatePrivateKey())
 * const transactionHash = await undelegate({ client: publicClient, owner })
 * console.log(transactionHash)
 * ```
 */
export async function undelegate({ client, owner }: undelegate.Parameters): Promise<undelegate.ReturnType> {
  if (!owner.signAuthorization) {
    throw new BaseError('The key cannot sign the authorization that ends the delegation.', {
      code: 'SIGNATURE_UNSUPPORTED',
      metaMessages: ['Pass a viem local account, or `signer.toViemAccount()`.'],
    })
  }
  const { chain } = client
  const action = 'Could not end the delegation.'
  const nonce = await convertRpcErrors(getTransactionCount(client, { ...owner, blockTag: 'pending' }), action)
  // The transaction uses the current nonce, so the authorization needs the following one.
  const authorization = await owner.signAuthorization({ address: zeroAddress, chainId: chain.id, nonce: nonce + 1 })
  const base = { to: owner.address, chainId: chain.id, nonce, authorizationList: [authorization] }
  const preparing = prepareTransactionRequest(client, { ...base, account: owner, chain })
  const { gas, maxFeePerGas, maxPriorityFeePerGas } = await convertRpcErrors(preparing, action)
  const fees = { gas, maxFeePerGas, maxPriorityFeePerGas }
  const serializedTransaction = await owner.signTransaction({ ...base, ...fees, type: 'eip7702' })
  return convertRpcErrors(sendRawTransaction(client, { serializedTransaction }), action)
}
