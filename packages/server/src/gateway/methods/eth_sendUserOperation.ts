import type { Db } from '../../platform/database/openStore.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { recordSent } from '../../store/ledger/reserve.ts'
import { findOperation, logFailed, logSeen, logSent, type OperationKey } from '../../store/operations.ts'
import type { Caller } from '../Caller.ts'
import type { Chain } from '../chains/createChain.ts'
import type { Operations } from '../operations/createOperations.ts'
import { readUserOperation } from '../operations/readUserOperation.ts'
import { checkDelegation } from '../rpc/checkDelegation.ts'
import type { RpcOutcome } from '../rpc/jsonRpc.ts'
import type { RpcErrorObject } from '../rpc/RpcError.ts'

export declare namespace sendUserOperation {
  type Context = { db: Db; chain: Chain; operations: Operations; caller: Caller; logger: Logger }
}

/**
 * Serves `eth_sendUserOperation` through the bundler, and logs it before and after. Idempotent: a client that retries
 * after a lost response gets the hash, whether the operation is still at the bundler or already included.
 */
export async function sendUserOperation(context: sendUserOperation.Context, params: unknown): Promise<RpcOutcome> {
  checkDelegation(params)
  const { db, chain, operations, caller, logger } = context
  const operation = readUserOperation(chain.chainId, params)
  const request = operation && serialize(params)
  if (!request) return chain.bundler.send('eth_sendUserOperation', params)

  await operations.begin(chain)
  const { projectId } = caller
  const { userOpHash } = operation
  const logged = await logSent(db, { ...operation, projectId, request })
  if (logged === 'included') return { result: userOpHash }
  const outcome = await chain.bundler.send('eth_sendUserOperation', params)
  if (logged === 'foreign') return outcome
  if ('result' in outcome) {
    if (outcome.result === userOpHash) await logAccepted(db, { ...operation, projectId, request })
    else logger.error({ userOpHash }, 'The bundler calls an operation by another hash than ERC-4337')
    return outcome
  }
  if (isKnown(outcome.error)) {
    await logAccepted(db, { ...operation, projectId })
    return { result: userOpHash }
  }
  if (isNonceUsed(outcome.error) && (await isIncluded(context, operation))) return { result: userOpHash }
  await logFailed(db, { userOpHash, projectId, failure: outcome.error.message })
  return outcome
}

/** Logs an accepted operation. The bundler has verified its signature, so the account now owns the reservation. */
async function logAccepted(db: Db, operation: OperationKey & logSeen.Parameters): Promise<void> {
  const { userOpHash, projectId, request } = operation
  await Promise.all([
    logSeen(db, { userOpHash, projectId, request }),
    operation.paymaster === null ? undefined : recordSent(db, userOpHash),
  ])
}

/** Returns whether the bundler already has this operation. Bundlers have no error code for this case. */
function isKnown({ message }: RpcErrorObject): boolean {
  return /already[ -]known/i.test(message)
}

/** Error codes of the EntryPoint: AA25 is "invalid account nonce", AA10 "sender already constructed". */
function isNonceUsed({ message }: RpcErrorObject): boolean {
  return /\bAA(?:25|10)\b/.test(message)
}

async function isIncluded(
  { db, chain, operations, caller }: sendUserOperation.Context,
  { userOpHash }: OperationKey,
): Promise<boolean> {
  await operations.scan(chain)
  return (await findOperation(db, { userOpHash, projectId: caller.projectId }))?.state === 'included'
}

/** Returns undefined for params that are nested too deeply; the upstream refuses those. */
function serialize(params: unknown): string | undefined {
  try {
    return JSON.stringify(params)
  } catch {
    return undefined
  }
}
