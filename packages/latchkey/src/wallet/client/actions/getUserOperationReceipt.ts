import type { Address, Hex } from 'viem'
import { readHex, readObject, readQuantity, rpc } from '../../rpc.ts'
import type { RpcClient, UserOperationReceipt } from '../types.ts'

export declare namespace getUserOperationReceipt {
  type ReturnType = UserOperationReceipt | null
}

const action = 'Could not read the receipt of the operation.'

/** `eth_getUserOperationReceipt` (ERC-7769). Null while the operation is not in a block. */
export async function getUserOperationReceipt(
  client: RpcClient,
  hash: Hex,
): Promise<getUserOperationReceipt.ReturnType> {
  const answer = await rpc(client, { method: 'eth_getUserOperationReceipt', params: [hash], action })
  if (answer === null || answer === undefined) return null
  const found = readObject(answer, action)
  const transaction = readObject(found.receipt, action)
  return {
    userOpHash: hash,
    sender: readHex(found.sender, action) as Address,
    nonce: readQuantity(found.nonce, action),
    paymaster: typeof found.paymaster === 'string' ? (readHex(found.paymaster, action) as Address) : undefined,
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
