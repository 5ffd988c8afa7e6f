import { errorCodes } from 'latchkey-protocol'
import type { Hex } from 'viem'
import { z } from 'zod'
import type { Upstream } from '../rpc/createUpstream.ts'
import { RpcError, type RpcErrorObject, rpcCodes, UpstreamError } from '../rpc/RpcError.ts'
import { address, bytes, parseResult, quantity } from '../rpc/values.ts'
import { traceCalls } from './traceCalls.ts'
import type { SimulatedCall, SimulatedLog, SimulatedOutcome } from './types.ts'

const logSchema = z.object({ address, topics: z.array(bytes), data: bytes })
const outcomeSchema = z.object({ status: quantity, returnData: bytes, logs: z.array(logSchema) })

export declare namespace simulateCalls {
  type Parameters = { node: Upstream; calls: readonly SimulatedCall[]; block: string }
  type ErrorType = RpcError | UpstreamError
}

/**
 * Simulates calls of one account, in sequence, on top of a block, without storing anything. Uses `eth_simulateV1` of
 * the execution APIs, or `debug_traceCall` if the node supports only that. Native transfers appear in the logs as
 * `Transfer` of `nativeAsset`. Gas is not paid.
 *
 * @throws `METHOD_NOT_SUPPORTED` when the node has neither.
 */
export async function simulateCalls(parameters: simulateCalls.Parameters): Promise<SimulatedOutcome[]> {
  const { node, calls, block } = parameters
  const payload = { blockStateCalls: [withProbe(calls)], traceTransfers: true, validation: false }
  const simulated = await node.send('eth_simulateV1', [payload, block])
  if ('error' in simulated && !isUnsupported(simulated.error)) throw new UpstreamError(simulated.error)
  const outcomes = 'result' in simulated ? readSimulation(simulated.result, calls.length + 1) : undefined
  const [probed] = outcomes?.splice(-1) ?? []
  if (outcomes && probed?.logs.length === 0) return outcomes
  const traced = await traceCalls(parameters)
  if (!('error' in traced)) return traced
  if (outcomes) return outcomes
  if (!isUnsupported(traced.error)) throw new UpstreamError(traced.error)
  throw new RpcError(
    'The chain node of this gateway cannot simulate: it has neither eth_simulateV1 nor debug_traceCall. ' +
      'Its operator should add a node that has one of them.',
    { code: errorCodes.METHOD_NOT_SUPPORTED, rpcCode: rpcCodes.methodNotFound },
  )
}

/**
 * Adds a probe: a call whose only transfer is undone by a caught revert. Some nodes (anvil 1.7) report such transfers;
 * if the probe's transfer appears, the trace is used instead.
 */
function withProbe(calls: readonly SimulatedCall[]) {
  const [catching, reverting] = [`0x9c0be0${'00'.repeat(16)}01`, `0x9c0be0${'00'.repeat(16)}02`] as const
  return {
    calls: [...calls, { from: calls[0]?.from, to: catching, data: '0x', gas: '0x186a0' }],
    stateOverrides: {
      // CALL(GAS, reverting, 1, 0, 0, 0, 0) POP STOP; REVERT(0, 0)
      [catching]: { balance: '0x1', code: `0x6000600060006000600173${reverting.slice(2)}5af15000` },
      [reverting]: { code: '0x60006000fd' },
    },
  }
}

function readSimulation(result: unknown, count: number): SimulatedOutcome[] {
  const blockSchema = z.object({ calls: z.array(outcomeSchema).length(count) })
  const [simulated] = parseResult(z.tuple([blockSchema]), result, 'a simulation')
  return simulated.calls.map(({ status, returnData, logs }) => ({
    success: BigInt(status) === 1n,
    returnData: returnData as Hex,
    logs: logs as SimulatedLog[],
  }))
}

/** Returns whether the method is missing (JSON-RPC 2.0 § 5.1), or known but not supported (EIP-1474). */
function isUnsupported({ code }: RpcErrorObject): boolean {
  return code === rpcCodes.methodNotFound || code === -32004
}
