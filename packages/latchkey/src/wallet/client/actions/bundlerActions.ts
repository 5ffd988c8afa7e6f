import type { Address, Hex } from 'viem'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { readHex, readObject, readQuantity, rpc } from '../../rpc.ts'
import type { BundlerActions, RpcClient, UserOperationReceipt } from '../types.ts'

/** Reads of a bundler, as members of a client. */
export function bundlerActions(client: RpcClient): BundlerActions {
  return {
    getUserOperationReceipt: (hash) => getUserOperationReceipt(client, hash),
    getSupportedEntryPoints: () => getSupportedEntryPoints(client),
  }
}

/** `eth_getUserOperationReceipt` (ERC-7769). Null while the operation is not in a block. */
export async function getUserOperationReceipt(
  client: RpcClient,
  hash: Hex,
  options: Pick<rpc.Parameters, 'signal'> = {},
): Promise<UserOperationReceipt | null> {
  const action = 'Could not read the receipt of the operation.'
  const reply = await rpc(client, { method: 'eth_getUserOperationReceipt', params: [hash], action, ...options })
  return reply === null || reply === undefined ? null : readReceipt(reply, hash, action)
}

/** A receipt as services return it. @throws `RESPONSE_INVALID`, also when it is another operation's. */
export function readReceipt(reply: unknown, hash: Hex, action: string): UserOperationReceipt {
  const found = readObject(reply, action)
  const own = found.userOpHash ?? hash
  if (readHex(own, action).toLowerCase() !== hash.toLowerCase()) throw otherReceipt(action)
  const transaction = readObject(found.receipt, action)
  return {
    userOpHash: hash,
    sender: readHex(found.sender, action),
    nonce: readQuantity(found.nonce, action),
    paymaster: typeof found.paymaster === 'string' ? readHex(found.paymaster, action) : undefined,
    success: found.success === true || found.success === 'true',
    reason: typeof found.reason === 'string' ? found.reason : undefined,
    actualGasCost: readQuantity(found.actualGasCost, action),
    actualGasUsed: readQuantity(found.actualGasUsed, action),
    receipt: {
      transactionHash: readHex(transaction.transactionHash, action),
      blockNumber: readQuantity(transaction.blockNumber, action),
    },
  }
}

/** `eth_supportedEntryPoints` (ERC-7769). */
async function getSupportedEntryPoints(client: RpcClient): Promise<readonly Address[]> {
  const action = 'Could not read which entry points the bundler supports.'
  const reply = await rpc(client, { method: 'eth_supportedEntryPoints', params: [], action })
  return Array.isArray(reply) ? reply : []
}

function otherReceipt(action: string): BaseError {
  return new BaseError(`${action} The service returned the receipt of another operation.`, {
    code: 'RESPONSE_INVALID',
    metaMessages: ['Look for the operation in an explorer, or ask another bundler.'],
  })
}
