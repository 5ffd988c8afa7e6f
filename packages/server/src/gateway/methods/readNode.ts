import { errorCodes } from 'latchkey/wire'
import { numberToHex } from 'viem'
import type { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import type { ByteBudget } from '../rpc/byteBudget.ts'
import type { RpcOutcome } from '../rpc/jsonRpc.ts'
import { call, logFilter, simulation } from '../rpc/nodeParams.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { parseParams, parseResult, quantity } from '../rpc/values.ts'
import { nodeMethods } from './forwardedMethods.ts'

type Call = z.output<typeof call>
type Bound = (params: readonly unknown[], chain: Chain) => readonly unknown[] | Promise<readonly unknown[]>

/** What a method's parameters become, so that the node does no more than it should for one request. */
const boundBy: Readonly<Record<string, Bound>> = {
  eth_call: boundCall,
  eth_createAccessList: boundCall,
  eth_estimateGas: boundCall,
  eth_getLogs: boundLogs,
  eth_newFilter: boundLogs,
  eth_simulateV1: boundSimulation,
}

export declare namespace readNode {
  type Parameters = { chain: Chain; method: string; params: unknown; budget?: ByteBudget | undefined }
  type ErrorType = RpcError
}

/**
 * Passes a call to the chain's node, its parameters checked and bounded.
 *
 * @throws `METHOD_NOT_SUPPORTED`, `REQUEST_INVALID`, `NODE_UNREACHABLE`, `RESPONSE_TOO_LARGE`.
 */
export async function readNode({ chain, method, params, budget }: readNode.Parameters): Promise<RpcOutcome> {
  const schema = nodeMethods.get(method)
  if (!schema)
    throw new RpcError(`The method ${method} is no read of the node.`, {
      code: errorCodes.METHOD_NOT_SUPPORTED,
      rpcCode: rpcCodes.methodNotFound,
    })
  const parsed = parseParams(schema, params, 'params')
  return chain.node.send(method, (await boundBy[method]?.(parsed, chain)) ?? parsed, { budget })
}

function boundCall([given, ...rest]: readonly unknown[], { maxCallGas }: Chain): readonly unknown[] {
  return [capGas(call.parse(given), maxCallGas), ...rest]
}

/** All calls together run no more than one may; one that names no gas gets its share. */
function boundSimulation([given, ...rest]: readonly unknown[], { maxCallGas }: Chain): readonly unknown[] {
  const payload = simulation.parse(given)
  const count = payload.blockStateCalls.reduce((sum, { calls }) => sum + calls.length, 0)
  const share = maxCallGas / BigInt(Math.max(1, count))
  const blockStateCalls = payload.blockStateCalls.map(({ calls, ...blockCalls }) => ({
    ...blockCalls,
    calls: calls.map((each) => capGas(each, share)),
  }))
  return [{ ...payload, blockStateCalls }, ...rest]
}

function capGas(given: Call, cap: bigint): Call {
  const gas = given.gas ? BigInt(given.gas) : cap
  return { ...given, gas: numberToHex(gas < cap ? gas : cap) }
}

/** A tag counts as the latest block, but `earliest`. */
async function boundLogs(params: readonly unknown[], { node, maxLogBlocks }: Chain): Promise<readonly unknown[]> {
  const filter = logFilter.parse(params[0])
  const from = toNumber(filter.fromBlock)
  const to = toNumber(filter.toBlock)
  // Without a fixed start the range is the latest block, or begins after its end.
  if (filter.blockHash || from === undefined) return params
  const end = to ?? BigInt(parseResult(quantity, await node.call('eth_blockNumber', []), 'a block number'))
  const blocks = end - from + 1n
  if (blocks <= maxLogBlocks) return params
  throw new RpcError(
    `Invalid params: the range of ${blocks} blocks is too long. Ask for at most ${maxLogBlocks} blocks at once.`,
    { code: errorCodes.REQUEST_INVALID, rpcCode: rpcCodes.invalidParams, data: { maxBlocks: Number(maxLogBlocks) } },
  )
}

function toNumber(value: string | null | undefined): bigint | undefined {
  if (value === 'earliest') return 0n
  return value?.startsWith('0x') ? BigInt(value) : undefined
}
