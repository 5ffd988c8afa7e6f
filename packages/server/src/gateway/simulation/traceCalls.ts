import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  numberToHex,
  parseAbi,
  size,
} from 'viem'
import { z } from 'zod'
import type { Upstream } from '../rpc/createUpstream.ts'
import type { RpcErrorObject } from '../rpc/RpcError.ts'
import { address, bytes, parseResult, quantity } from '../rpc/values.ts'
import { nativeAsset, type SimulatedCall, type SimulatedLog, type SimulatedOutcome } from './types.ts'

export declare namespace traceCalls {
  type Parameters = { node: Upstream; calls: readonly SimulatedCall[]; block: string }
  type ReturnType = SimulatedOutcome[] | { error: RpcErrorObject }
}

/**
 * Simulates calls like `simulateCalls`, for nodes without `eth_simulateV1`, by `debug_traceCall` with the call tracer.
 *
 * `debug_traceCall` runs a single call, but these calls must run in sequence from the same account (the entry point).
 * Therefore a loop over the calls replaces the account's code during this single call. Other calls to the account reach
 * its original code, which is stored at another address.
 *
 * Resolves with the node's error if the node refuses.
 */
export async function traceCalls(parameters: traceCalls.Parameters): Promise<traceCalls.ReturnType> {
  const { node, calls, block } = parameters
  const [{ from }] = calls as readonly [SimulatedCall, ...SimulatedCall[]]
  const code = parseResult(bytes, await node.call('eth_getCode', [from, block]), 'a contract’s code') as Hex
  const outcome = await node.send('debug_traceCall', [
    { from: starter, to: from, data: concatHex(calls.map(encodeCall)) },
    block,
    {
      tracer: 'callTracer',
      tracerConfig: { withLog: true },
      stateOverrides: { [from]: { code: loop }, [keptCode]: { code } },
    },
  ])
  if ('error' in outcome) return outcome
  const { calls: frames } = parseResult(frameSchema, outcome.result, 'a trace')
  return calls.map((_, index) => toOutcome(frames?.[index]))
}

/** Unused addresses: the first starts the loop, the second contains the replaced code. */
const starter: Address = '0x7ace00000000000000000000000000000000aaaa'
const keptCode: Address = '0x7ace00000000000000000000000000000000cccc'
const defaultGas = 2n ** 64n - 1n

/** Encodes a call: 20 bytes address, 8 bytes gas, 4 bytes length, then the calldata. */
function encodeCall({ to, data, gas }: SimulatedCall): Hex {
  const limit = numberToHex(gas === undefined ? defaultGas : BigInt(gas), { size: 8 })
  return concatHex([to, limit, numberToHex(size(data), { size: 4 }), data])
}

/**
 * EVM code in mnemonics. Called by `starter`, it makes the calls listed in its calldata; otherwise it runs the original
 * code.
 */
const loop: Hex = concatHex([
  // CALLER PUSH20 starter EQ PUSH1 run JUMPI
  '0x3373',
  starter,
  '0x14605057',
  // CALLDATASIZE 0 0 CALLDATACOPY; 0 0 CALLDATASIZE 0 PUSH20 keptCode GAS DELEGATECALL
  '0x36600060003760006000366000',
  '0x73',
  keptCode,
  '0x5af4',
  // RETURNDATASIZE 0 0 RETURNDATACOPY PUSH1 good JUMPI RETURNDATASIZE 0 REVERT good: RETURNDATASIZE 0 RETURN
  '0x3d600060003e604b57',
  '0x3d6000fd',
  '0x5b3d6000f3',
  // run: PUSH1 0 loop: the position in the calldata, while it is below CALLDATASIZE, else to the end
  '0x5b6000',
  '0x5b80361115608a57',
  // the length: CALLDATALOAD(position + 28) >> 224; CALLDATACOPY(0, position + 32, length)
  '0x80601c013560e01c',
  '0x80826020016000',
  '0x37',
  // CALL(gas, to, 0, 0, length, 0, 0); POP
  '0x600060008260006000',
  '0x863560601c',
  '0x876014013560c01c',
  '0xf150',
  // position + length + 32, PUSH1 loop JUMP end: STOP
  '0x01602001605356',
  '0x5b00',
])

type Frame = {
  type: string
  from: string
  to?: string | undefined
  value?: string | undefined
  output?: string | undefined
  error?: string | undefined
  logs?: { address: string; topics: string[]; data: string; position?: string | number | undefined }[] | undefined
  calls?: Frame[] | undefined
}

const logSchema = z.object({
  address,
  topics: z.array(bytes),
  data: bytes.default('0x'),
  /** Number of earlier calls of the same frame. */
  position: z.union([quantity, z.number()]).optional(),
})
const frameSchema: z.ZodType<Frame> = z.lazy(() =>
  z.object({
    type: z.string(),
    from: address,
    to: address.optional(),
    value: quantity.optional(),
    output: bytes.optional(),
    error: z.string().optional(),
    logs: z.array(logSchema).optional(),
    calls: z.array(frameSchema).optional(),
  }),
)

function toOutcome(frame: Frame | undefined): SimulatedOutcome {
  if (!frame) return { success: false, returnData: '0x', logs: [] }
  const success = frame.error === undefined
  return { success, returnData: (frame.output ?? '0x') as Hex, logs: readLogs(frame) }
}

/** Call types that transfer their value. Other call types run as their caller, or transfer nothing. */
const moving = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** Returns the logs of a frame and its subcalls, in order. Skips reverted frames with all their subcalls. */
function readLogs({ error, type, from, to, value, logs = [], calls = [] }: Frame): SimulatedLog[] {
  if (error !== undefined) return []
  const paid = moving.has(type) && to && BigInt(value ?? 0) > 0n ? [toTransfer(from, to, BigInt(value ?? 0))] : []
  const before = (place: number) => logs.filter(({ position }) => Number(position ?? calls.length) === place).map(toLog)
  return [...paid, ...calls.flatMap((call, index) => [...before(index), ...readLogs(call)]), ...before(calls.length)]
}

function toLog({ address: emitter, topics, data }: NonNullable<Frame['logs']>[number]): SimulatedLog {
  return { address: emitter as Address, topics: topics as Hex[], data: data as Hex }
}

const transferAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

function toTransfer(from: string, to: string, value: bigint): SimulatedLog {
  const args = { from: from as Address, to: to as Address }
  return {
    address: nativeAsset,
    topics: encodeEventTopics({ abi: transferAbi, eventName: 'Transfer', args }) as Hex[],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  }
}
