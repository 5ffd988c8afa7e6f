import { errorCodes } from 'latchkey-protocol'
import { numberToHex } from 'viem'
import type { z } from 'zod'
import type { Caller } from '../Caller.ts'
import type { Chain } from '../chains/createChain.ts'
import { bounds, callGas } from '../gatewayLimits.ts'
import type { ByteBudget } from '../rpc/byteBudget.ts'
import type { RpcOutcome } from '../rpc/jsonRpc.ts'
import { call, logFilter, simulation } from '../rpc/nodeParams.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { parseParams, parseResult, quantity } from '../rpc/values.ts'
import { nodeMethods } from './forwardedMethods.ts'

type Call = z.output<typeof call>
type Bound = (params: readonly unknown[], chain: Chain) => readonly unknown[] | Promise<readonly unknown[]>

/** Functions that bound a method's parameters, so that one request cannot overload the node. */
const boundBy: Readonly<Record<string, Bound>> = {
  eth_call: boundCall,
  eth_createAccessList: boundCall,
  eth_estimateGas: boundCall,
  eth_getLogs: boundLogs,
  eth_newFilter: boundLogs,
  eth_simulateV1: boundSimulation,
}

/** Methods that put load on the node. Their scheduler weight is the gas they may use. */
const weigh: Readonly<Record<string, (params: readonly unknown[], chain: Chain) => bigint>> = {
  eth_call: gasOfCall,
  eth_createAccessList: gasOfCall,
  eth_estimateGas: gasOfCall,
  eth_simulateV1: (_, { maxCallGas }) => maxCallGas,
  // The following methods execute no code, but read as much data as a call with this gas could.
  eth_getBlockReceipts: () => bounds.unnamedCallGas,
  eth_getFilterLogs: () => bounds.unnamedCallGas,
  eth_getLogs: () => bounds.unnamedCallGas,
  eth_getProof: () => bounds.unnamedCallGas,
}

export declare namespace readNode {
  type Parameters = { chain: Chain; caller: Caller; method: string; params: unknown; budget?: ByteBudget | undefined }
  type ErrorType = RpcError
}

/**
 * Forwards a call to the chain's node after checking and bounding its parameters. Expensive calls are queued.
 * @throws `METHOD_NOT_SUPPORTED`, `REQUEST_INVALID`, `NODE_UNREACHABLE`, `RESPONSE_TOO_LARGE`, `RATE_LIMIT_EXCEEDED`.
 */
export async function readNode({ chain, caller, method, params, budget }: readNode.Parameters): Promise<RpcOutcome> {
  const schema = nodeMethods.get(method)
  if (!schema)
    throw new RpcError(`The method ${method} is no read of the node.`, {
      code: errorCodes.METHOD_NOT_SUPPORTED,
      rpcCode: rpcCodes.methodNotFound,
    })
  const parsed = parseParams(schema, params, 'params')
  const bounded = (await boundBy[method]?.(parsed, chain)) ?? parsed
  const send = () => chain.node.send(method, bounded, { budget })
  const weight = weigh[method]?.(bounded, chain)
  return weight === undefined ? send() : chain.run.node(caller, Number(weight), send)
}

function gasOfCall([given]: readonly unknown[], { maxCallGas }: Chain): bigint {
  return callGas(call.parse(given).gas, maxCallGas)
}

function boundCall([given, ...rest]: readonly unknown[], { maxCallGas }: Chain): readonly unknown[] {
  const parsed = call.parse(given)
  return [{ ...parsed, gas: numberToHex(callGas(parsed.gas, maxCallGas)) }, ...rest]
}

/** Caps each call at an equal share of `maxCallGas`, so that all calls together use no more. */
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

/** Limits a log filter's range. Every tag except `earliest` counts as the latest block. */
async function boundLogs(params: readonly unknown[], { node, maxLogBlocks }: Chain): Promise<readonly unknown[]> {
  const filter = logFilter.parse(params[0])
  const from = toNumber(filter.fromBlock)
  const to = toNumber(filter.toBlock)
  // `blockHash` selects a single block, and a range that starts at a tag is short.
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
