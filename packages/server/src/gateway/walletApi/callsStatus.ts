import { callsStatus, errorCodes, toCallsReceipt } from 'latchkey-protocol'
import { concatHex, type Hex, hexToBigInt, numberToHex, slice } from 'viem'
import { z } from 'zod'
import { findOperation } from '../../store/operations.ts'
import { buildReceipt } from '../operations/buildReceipt.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { parseParams } from '../rpc/values.ts'
import { findChain, type WalletContext } from './context.ts'

/** Encodes a call id as clients do themselves: the chain's id and the operation's hash, 32 bytes each. */
export function toCallId(chainId: number, hash: Hex): Hex {
  return concatHex([numberToHex(chainId, { size: 32 }), hash])
}

const id = z.string().regex(/^0x[0-9a-fA-F]{128}$/, 'must be an id of calls: 64 bytes in hex')
const operationSchema = z.object({
  success: z.unknown(),
  logs: z.unknown(),
  actualGasUsed: z.unknown(),
  receipt: z.looseObject({}),
})

/**
 * Serves `wallet_getCallsStatus`: the status of calls, from the operation log or, for operations sent elsewhere, from
 * the bundler.
 *
 * @throws `NOT_FOUND` (5730), `CHAIN_NOT_FOUND`.
 */
export async function getCallsStatus(context: WalletContext, params: unknown) {
  const [callId] = parseParams(z.tuple([id]), params, 'params')
  const wanted = hexToBigInt(slice(callId as Hex, 0, 32))
  const chain = findChain(context, wanted > BigInt(Number.MAX_SAFE_INTEGER) ? 0 : Number(wanted))
  const hash = slice(callId as Hex, 32).toLowerCase() as Hex
  const common = {
    id: callId,
    chainId: numberToHex(chain.chainId),
    atomic: true,
    details: { type: 'user-operation', data: { hash } },
  }
  const { db, caller, operations } = context
  let operation = await findOperation(db, { userOpHash: hash, projectId: caller.projectId })
  if (operation && operation.chain_id !== String(chain.chainId)) throw unknownCalls()
  if (operation?.state === 'sent' || operation?.state === 'seen') {
    await operations.scan(chain)
    operation = await findOperation(db, { userOpHash: hash, projectId: caller.projectId })
  }
  if (operation?.state === 'included') {
    const receipt = await buildReceipt(chain.node, operation)
    return receipt
      ? { ...common, ...withReceipt(receipt, receipt.receipt) }
      : { ...common, status: callsStatus.pending }
  }
  if (operation && ended.includes(operation.state)) return { ...common, status: callsStatus.dropped }
  if (operation) return { ...common, status: callsStatus.pending }

  const found = operationSchema.safeParse(await chain.bundler.call('eth_getUserOperationReceipt', [hash]))
  if (found.success) return { ...common, ...withReceipt(found.data, found.data.receipt) }
  const waiting = await chain.bundler.call('eth_getUserOperationByHash', [hash])
  if (waiting === null || waiting === undefined) throw unknownCalls()
  return { ...common, status: callsStatus.pending }
}

const ended: readonly string[] = ['replaced', 'dropped', 'failed']

function withReceipt(operation: { success?: unknown; logs?: unknown; actualGasUsed?: unknown }, transaction: unknown) {
  const receipt = toCallsReceipt(operation, transaction as Record<string, unknown>)
  return { status: receipt.status === '0x1' ? callsStatus.confirmed : callsStatus.reverted, receipts: [receipt] }
}

function unknownCalls(): RpcError {
  return new RpcError('No calls of this id are known here.', {
    code: errorCodes.NOT_FOUND,
    rpcCode: rpcCodes.unknownBundle,
  })
}
