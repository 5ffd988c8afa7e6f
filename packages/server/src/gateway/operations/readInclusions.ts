import { decodeAbiParameters, type Hex, numberToHex, pad, toEventSelector } from 'viem'
import { z } from 'zod'
import { entryPointAddresses } from '../paymasters/schemes.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { address, bytes, parseResult, quantity } from '../rpc/values.ts'
import type { Block, Inclusion } from './operationBlocks.ts'

/** EntryPoint 0.6 and 0.7. */
const userOperationEvent = toEventSelector(
  'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
)
const zeroAddress = '0x0000000000000000000000000000000000000000'

/** Senders or operation hashes per request. */
const sendersAtOnce = 200
const hashesAtOnce = 200

const blockSchema = z.object({ number: quantity, hash: bytes, timestamp: quantity })
const logsSchema = z.array(
  z.object({
    address,
    topics: z.array(bytes).length(4),
    data: bytes,
    blockNumber: quantity,
    blockHash: bytes,
    transactionHash: bytes,
    logIndex: quantity,
    removed: z.boolean().optional(),
  }),
)
type Log = z.output<typeof logsSchema>[number]

export declare namespace readInclusions {
  type Parameters = {
    node: Upstream
    entryPoint: string
    /** First and last block. */
    from: bigint
    to: bigint
    /** Operations paid for by one of these paymasters, or sent by one of the senders. */
    paymasters: readonly string[]
    senders: readonly string[]
  }
}

/** Returns the inclusions of given operations in a range of blocks, from the entry point's events. */
export async function readInclusions(parameters: readInclusions.Parameters): Promise<Inclusion[]> {
  const { node, entryPoint, from, to, paymasters, senders } = parameters
  const filters = [
    ...(paymasters.length > 0 ? [[null, null, paymasters.map(toTopic)]] : []),
    ...chunks(senders, sendersAtOnce).map((some) => [null, some.map(toTopic)]),
  ]
  const blocks = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const logs = await Promise.all(
    filters.map(async (topics) => {
      const filter = { address: entryPoint, ...blocks, topics: [userOperationEvent, ...topics] }
      return parseResult(logsSchema, await node.call('eth_getLogs', [filter]), 'logs')
    }),
  )
  return toInclusions(node, logs.flat())
}

export declare namespace readSightings {
  type Parameters = {
    node: Upstream
    /** First block to read; `head` is the last. */
    from: bigint
    head: Block
    /** Hashes of operations, in lower case. */
    hashes: readonly string[]
  }
}

/** Returns the inclusions of given operations in the newest blocks, for any entry point. */
export async function readSightings({ node, from, head, hashes }: readSightings.Parameters): Promise<Inclusion[]> {
  const blocks = { fromBlock: numberToHex(from), toBlock: numberToHex(head.number) }
  const logs = await Promise.all(
    chunks(hashes, hashesAtOnce).map(async (some) => {
      const filter = { address: entryPointAddresses, ...blocks, topics: [userOperationEvent, some] }
      return parseResult(logsSchema, await node.call('eth_getLogs', [filter]), 'logs')
    }),
  )
  return toInclusions(node, logs.flat(), [head])
}

async function toInclusions(node: Upstream, logs: Log[], known: readonly Block[] = []): Promise<Inclusion[]> {
  const current = new Map(logs.filter((log) => !log.removed).map((log) => [log.topics[1]?.toLowerCase(), log]))
  const blocks = new Map(known.map((block) => [block.hash, block]))
  const hashes = [...new Set([...current.values()].map(({ blockHash }) => blockHash.toLowerCase()))].filter(
    (hash) => !blocks.has(hash),
  )
  for (const some of chunks(hashes, 10))
    for (const block of await Promise.all(some.map((hash) => readBlock(node, hash)))) blocks.set(block.hash, block)
  return [...current.values()].flatMap((log) => {
    const block = blocks.get(log.blockHash.toLowerCase())
    return block ? [toInclusion(log, block)] : []
  })
}

function toInclusion({ topics, data, transactionHash, logIndex }: Log, block: Block): Inclusion {
  const [, userOpHash = '', sender = '', payer = ''] = topics.map((topic) => topic.toLowerCase())
  const types = [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }] as const
  const [nonce, success, actualGasCost, actualGasUsed] = decodeAbiParameters(types, data as Hex)
  const paymaster = toAddress(payer)
  return {
    userOpHash,
    sender: toAddress(sender),
    nonce,
    paymaster: paymaster === zeroAddress ? null : paymaster,
    success,
    actualGasCost,
    actualGasUsed,
    block,
    transactionHash: transactionHash.toLowerCase(),
    logIndex: Number(logIndex),
  }
}

export async function readBlock(node: Upstream, which: 'latest' | bigint | string): Promise<Block> {
  const read =
    typeof which === 'bigint' || which === 'latest'
      ? node.call('eth_getBlockByNumber', [which === 'latest' ? which : numberToHex(which), false])
      : node.call('eth_getBlockByHash', [which, false])
  const { number, hash, timestamp } = parseResult(blockSchema, await read, 'a block')
  return { number: BigInt(number), hash: hash.toLowerCase(), time: new Date(Number(timestamp) * 1000) }
}

const toTopic = (text: string) => pad(text as Hex, { size: 32 })
const toAddress = (topic: string) => `0x${topic.slice(-40)}`
function chunks<item>(items: readonly item[], size: number): item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
