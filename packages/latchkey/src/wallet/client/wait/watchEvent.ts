import { type Address, encodeEventTopics, type Hex, numberToHex, parseEventLogs, type RpcLog } from 'viem'
import { entryPointAbi } from '../../../accounts/entryPointAbi.ts'
import { readQuantity, rpc } from '../../rpc.ts'
import type { RpcClient } from '../types.ts'
import type { Inclusion } from './inclusion.ts'
import { pause } from './pause.ts'

export declare namespace watchEvent {
  type Parameters = { client: RpcClient; entryPoint: Address; hash: Hex; intervalMs: number; signal: AbortSignal }
  /** Undefined when aborted, or when the node does not answer such questions. */
  type ReturnType = Inclusion | undefined
}

/** The operation may have got into a block before anyone looked. */
const blocksBack = 10n
const maxFailures = 3
const action = "Could not look for the operation's event."

/**
 * Looks for the EntryPoint's `UserOperationEvent` in the node's logs until it is there or the signal aborts. The node
 * often knows of a block before the bundler has a receipt. An aid only: it gives up quietly when the node refuses.
 */
export async function watchEvent(parameters: watchEvent.Parameters): Promise<watchEvent.ReturnType> {
  const { client, intervalMs, signal } = parameters
  let failures = 0
  let fromBlock: bigint | undefined
  while (!signal.aborted && failures < maxFailures) {
    await pause(intervalMs, signal)
    if (signal.aborted) return undefined
    try {
      fromBlock ??= await startBlock(client)
      const found = await lookOnce(parameters, fromBlock)
      if (found) return found
      failures = 0
    } catch {
      failures++
    }
  }
  return undefined
}

async function startBlock(client: RpcClient): Promise<bigint> {
  const block = readQuantity(await rpc(client, { method: 'eth_blockNumber', params: [], action }), action)
  return block > blocksBack ? block - blocksBack : 0n
}

async function lookOnce(
  { client, entryPoint, hash }: watchEvent.Parameters,
  fromBlock: bigint,
): Promise<Inclusion | undefined> {
  const [included] = encodeEventTopics({ abi: entryPointAbi, eventName: 'UserOperationEvent' })
  const [reverted] = encodeEventTopics({ abi: entryPointAbi, eventName: 'UserOperationRevertReason' })
  const filter = { address: entryPoint, fromBlock: numberToHex(fromBlock), topics: [[included, reverted], hash] }
  const answer = await rpc(client, { method: 'eth_getLogs', params: [filter], action })
  const logs = parseEventLogs({ abi: entryPointAbi, logs: Array.isArray(answer) ? (answer as RpcLog[]) : [] })
  const reason = logs.find((log) => log.eventName === 'UserOperationRevertReason')
  const event = logs.find((log) => log.eventName === 'UserOperationEvent')
  if (!event?.transactionHash) return undefined
  return {
    transactionHash: event.transactionHash,
    success: event.args.success,
    revertData: reason?.args.revertReason,
  }
}
