import { errorCodes } from 'latchkey/wire'
import type { Address, Hex } from 'viem'
import { z } from 'zod'
import type { Upstream } from '../rpc/createUpstream.ts'
import { RpcError, rpcCodes, UpstreamError } from '../rpc/RpcError.ts'
import { address, bytes, parseResult, quantity } from '../rpc/values.ts'

export type SimulatedCall = { from: Address; to: Address; data: Hex; gas?: Hex }
export type SimulatedLog = { address: Address; topics: Hex[]; data: Hex }
export type SimulatedOutcome = { success: boolean; returnData: Hex; logs: SimulatedLog[] }

const logSchema = z.object({ address, topics: z.array(bytes), data: bytes })
const outcomeSchema = z.object({ status: quantity, returnData: bytes, logs: z.array(logSchema) })

export declare namespace simulateCalls {
  type Parameters = { node: Upstream; calls: readonly SimulatedCall[]; block: string }
  type ErrorType = RpcError | UpstreamError
}

/**
 * Runs calls one after the other on top of a block, without keeping anything (`eth_simulateV1` of the execution APIs).
 * Movements of the chain's own coin are among the logs, as `Transfer` of `nativeAsset`. Gas is not paid.
 */
export async function simulateCalls(parameters: simulateCalls.Parameters): Promise<SimulatedOutcome[]> {
  const { node, calls, block } = parameters
  const payload = { blockStateCalls: [{ calls }], traceTransfers: true, validation: false }
  const outcome = await node.send('eth_simulateV1', [payload, block])
  if ('error' in outcome) {
    if (outcome.error.code !== rpcCodes.methodNotFound) throw new UpstreamError(outcome.error)
    throw new RpcError('The chain node of this gateway cannot simulate: it has no eth_simulateV1.', {
      code: errorCodes.METHOD_NOT_SUPPORTED,
      rpcCode: rpcCodes.methodNotFound,
    })
  }
  const blockSchema = z.object({ calls: z.array(outcomeSchema).length(calls.length) })
  const [simulated] = parseResult(z.tuple([blockSchema]), outcome.result, 'a simulation')
  return simulated.calls.map(({ status, returnData, logs }) => ({
    success: BigInt(status) === 1n,
    returnData: returnData as Hex,
    logs: logs as SimulatedLog[],
  }))
}

/** Where `eth_simulateV1` says the movements of the chain's own coin are. No contract can be there. */
export const nativeAsset = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
