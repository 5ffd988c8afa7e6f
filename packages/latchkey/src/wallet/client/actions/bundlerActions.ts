import { type Address, type Hex, numberToHex, parseEventLogs, type RpcLog } from 'viem'
import { entryPointAbi } from '../../../accounts/entryPoint.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { readAddress, readHex, readObject, readQuantity, rpc } from '../../rpc.ts'
import type { UserOperationRequest } from '../../userOperation/types.ts'
import type { BundlerActions, RpcClient, SentUserOperation, UserOperationReceipt } from '../types.ts'

export function bundlerActions(client: RpcClient): BundlerActions {
  return {
    getUserOperationByHash: (hash) => getUserOperationByHash(client, hash),
    getUserOperationReceipt: (hash) => getUserOperationReceipt(client, hash),
    getSupportedEntryPoints: () => getSupportedEntryPoints(client),
  }
}

/**
 * Calls `eth_getUserOperationByHash` (ERC-7769) and returns a sent operation with its block; null if the bundler does
 * not know the operation.
 *
 * @throws `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { getUserOperationByHash } from 'latchkey'
 * import { client } from './config.ts'
 *
 * const found = await getUserOperationByHash(client, `0x${'00'.repeat(32)}`)
 * console.log(found?.userOperation.callData, found?.transactionHash)
 * ```
 */
export async function getUserOperationByHash(client: RpcClient, hash: Hex): Promise<SentUserOperation | null> {
  const action = 'Could not read the operation.'
  const reply = await rpc(client, { method: 'eth_getUserOperationByHash', params: [hash], action })
  if (reply === null || reply === undefined) return null
  const { userOperation, entryPoint, transactionHash, blockHash, blockNumber } = readObject(reply, action)
  const isIncluded = typeof transactionHash === 'string'
  return {
    userOperation: readOperation(userOperation, action),
    entryPoint: readAddress(entryPoint, action),
    transactionHash: isIncluded ? readHex(transactionHash, action) : null,
    blockHash: isIncluded ? readHex(blockHash, action) : null,
    blockNumber: isIncluded ? readQuantity(blockNumber, action) : null,
  }
}

function readOperation(value: unknown, action: string): UserOperationRequest {
  const found = readObject(value, action)
  const text = (name: string) => (found[name] === undefined || found[name] === null ? {} : { [name]: found[name] })
  const rest = Object.keys(found).filter((name) => !['sender', 'nonce', 'callData', 'signature'].includes(name))
  return {
    ...Object.assign({}, ...rest.map(text)),
    sender: readAddress(found.sender, action),
    nonce: numberToHex(readQuantity(found.nonce, action)),
    callData: readHex(found.callData, action),
    signature: readHex(found.signature, action),
  }
}

/**
 * Calls `eth_getUserOperationReceipt` (ERC-7769) and returns the receipt; null until the operation is in a block.
 *
 * @throws `RESPONSE_INVALID`, also for another operation's receipt.
 *
 * @example
 * ```ts
 * import { getUserOperationReceipt } from 'latchkey'
 * import { client } from './config.ts'
 *
 * const receipt = await getUserOperationReceipt(client, `0x${'00'.repeat(32)}`)
 * console.log(receipt?.success)
 * ```
 */
export async function getUserOperationReceipt(
  client: RpcClient,
  hash: Hex,
  options: Pick<rpc.Parameters, 'signal'> = {},
): Promise<UserOperationReceipt | null> {
  const action = 'Could not read the receipt of the operation.'
  const reply = await rpc(client, { method: 'eth_getUserOperationReceipt', params: [hash], action, ...options })
  return reply === null || reply === undefined ? null : readReceipt(reply, hash, action)
}

/** Parses a receipt returned by a service. @throws `RESPONSE_INVALID`, also for another operation's receipt. */
export function readReceipt(reply: unknown, hash: Hex, action: string): UserOperationReceipt {
  const found = readOwnReceipt(reply, hash, action)
  const transaction = readObject(found.receipt, action)
  const success = found.success === true || found.success === 'true'
  return {
    userOpHash: hash,
    sender: readHex(found.sender, action),
    nonce: readQuantity(found.nonce, action),
    paymaster: typeof found.paymaster === 'string' ? readHex(found.paymaster, action) : undefined,
    success,
    reason: typeof found.reason === 'string' ? found.reason : success ? undefined : readRevertReason(found.logs, hash),
    actualGasCost: readQuantity(found.actualGasCost, action),
    actualGasUsed: readQuantity(found.actualGasUsed, action),
    receipt: {
      transactionHash: readHex(transaction.transactionHash, action),
      blockNumber: readQuantity(transaction.blockNumber, action),
    },
  }
}

/** Returns the revert data of the operation's call or of the paymaster's `postOp`, from the EntryPoint's logs. */
export function readRevertReason(logs: unknown, hash: Hex): Hex | undefined {
  const isLog = (log: RpcLog | null) => Array.isArray(log?.topics) && typeof log.data === 'string'
  const found = parseEventLogs({
    abi: entryPointAbi,
    eventName: ['UserOperationRevertReason', 'PostOpRevertReason'],
    logs: Array.isArray(logs) ? logs.filter(isLog) : [],
  })
  return found.find(({ args }) => args.userOpHash.toLowerCase() === hash.toLowerCase())?.args.revertReason
}

/** Checks that a receipt belongs to this operation and returns it unparsed. @throws `RESPONSE_INVALID`. */
export function readOwnReceipt(reply: unknown, hash: Hex, action: string): Record<string, unknown> {
  const found = readObject(reply, action)
  const own = readHex(found.userOpHash ?? hash, action)
  if (own.toLowerCase() === hash.toLowerCase()) return found
  throw new BaseError(`${action} The service returned the receipt of another operation.`, {
    code: 'RESPONSE_INVALID',
    metaMessages: ['Look for the operation in an explorer, or ask another bundler.'],
  })
}

async function getSupportedEntryPoints(client: RpcClient): Promise<readonly Address[]> {
  const action = 'Could not read which entry points the bundler supports.'
  const reply = await rpc(client, { method: 'eth_supportedEntryPoints', params: [], action })
  return Array.isArray(reply) ? reply : []
}
