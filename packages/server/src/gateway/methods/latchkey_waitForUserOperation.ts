import { errorCodes, type WaitForUserOperationResult } from 'latchkey-protocol'
import type { Hex } from 'viem'
import { z } from 'zod'
import type { Operation } from '../../store/operations.ts'
import type { Caller } from '../Caller.ts'
import type { Chain } from '../chains/createChain.ts'
import { buildReceipt } from '../operations/buildReceipt.ts'
import type { Operations } from '../operations/createOperations.ts'
import { operationLimits } from '../operations/operationLimits.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { parseParams } from '../rpc/values.ts'

const { maxWaitMs } = operationLimits
const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be a hash of 32 bytes in hex')
const options = z.object({ timeoutMs: z.int().min(0).max(maxWaitMs).default(maxWaitMs) })
export const paramsSchema = z.union([z.tuple([hash]), z.tuple([hash, options])])

export declare namespace waitForUserOperation {
  type Context = { chain: Chain; operations: Operations; caller: Caller }
  type ReturnType = WaitForUserOperationResult
}

/**
 * Serves `latchkey_waitForUserOperation`: waits at most 30 seconds until an operation of the project is included or can
 * no longer be included. Returns the operation with its receipt, if any. After a timeout, `state` is the operation's
 * progress, and the client calls again.
 *
 * @throws `NOT_FOUND` for an operation that the project neither sponsored nor sent; `RATE_LIMIT_EXCEEDED`.
 */
export async function waitForUserOperation(
  { chain, operations, caller }: waitForUserOperation.Context,
  params: unknown,
): Promise<waitForUserOperation.ReturnType> {
  const [userOpHash, { timeoutMs } = { timeoutMs: maxWaitMs }] = parseParams(paramsSchema, params, 'params')
  const { projectId, ip, signal } = caller
  const wanted = { projectId, ip, userOpHash: userOpHash.toLowerCase(), timeoutMs, signal }
  const operation = await operations.wait(chain, wanted)
  if (!operation || operation.chain_id !== String(chain.chainId)) throw notFound(userOpHash)
  const receipt = operation.state === 'included' ? await buildReceipt(chain.node, operation) : undefined
  return toResult(operation, receipt)
}

function toResult(operation: Operation, receipt: WaitForUserOperationResult['receipt'] | undefined) {
  const { user_op_hash, state, confirmed_at, replaced_by, failure } = operation
  return {
    userOpHash: user_op_hash as Hex,
    // The receipt is missing if a reorganization removed the operation's block between the two reads.
    state: state === 'included' && !receipt ? 'seen' : state,
    confirmed: confirmed_at !== null && receipt !== undefined,
    receipt: receipt ?? null,
    ...(replaced_by ? { replacedBy: replaced_by as Hex } : {}),
    ...(failure ? { failure } : {}),
  }
}

function notFound(userOpHash: string): RpcError {
  return new RpcError(
    `No operation ${userOpHash} of this project is known here. Wait for operations that were sent through this gateway.`,
    { code: errorCodes.NOT_FOUND, rpcCode: rpcCodes.invalidParams },
  )
}
