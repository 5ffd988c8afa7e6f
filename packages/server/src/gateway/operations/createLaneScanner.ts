import type { Db } from '../../platform/database/openStore.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import {
  applyBlocks,
  type Block,
  type Inclusion,
  insertCursor,
  type Lane,
  listKnownBlocks,
  listOpenSenders,
  readCursor,
  rewindCursor,
} from './operationBlocks.ts'
import { readBlock, readInclusions } from './readInclusions.ts'

const maxRange = 2_000
/** Ranges that one scan reads. The next scan continues from there. */
const maxRanges = 50
/** Senders that one scan searches for. */
const maxSenders = 2_000
/** Maximum number of logged blocks that are compared with the chain to find where a reorganization began. */
const maxKnownBlocks = 100

export declare namespace createLaneScanner {
  type Parameters = {
    db: Db
    node: Upstream
    chainId: number
    entryPoint: string
    /** Number of later blocks after which a block is final. */
    confirmations: number
    /** Addresses of the configured paymasters. */
    paymasters: readonly string[]
    logger: Logger
  }
  type ReturnType = LaneScanner
}

export type LaneScanner = {
  /** Ensures that the cursor exists, so that operations logged from now on are found. */
  begin(): Promise<void>
  /** Reads the blocks above the cursor. Skips a `head` at which the last scan ended. */
  scan(head?: Block): Promise<void>
}

/**
 * Creates a scanner that reads the events of one entry point on one chain into the operation log. Replicas may scan
 * concurrently: results are discarded when another replica moved the cursor.
 */
export function createLaneScanner(parameters: createLaneScanner.Parameters): createLaneScanner.ReturnType {
  const { db, node, confirmations } = parameters
  const lane: Lane = { chainId: parameters.chainId, entryPoint: parameters.entryPoint.toLowerCase() }
  let lastHead: string | undefined
  const ourPaymasters = parameters.paymasters.map((paymaster) => paymaster.toLowerCase())
  const range = createRange(parameters, { ...lane, ourPaymasters })
  let hasBegun = false

  async function begin(): Promise<void> {
    if (hasBegun) return
    if (!(await readCursor(db, lane))) await insertCursor(db, lane, await readStart(parameters))
    hasBegun = true
  }

  async function scan(given?: Block): Promise<void> {
    if (given && given.hash === lastHead) return
    await begin()
    for (let ranges = 0; ranges < maxRanges; ranges++) {
      // Reads the head before the logged operations, so that all logged operations of this head are searched for.
      const head = given && ranges === 0 ? given : await readBlock(node, 'latest')
      const isDone = await scanRange(head)
      if (!isDone) continue
      lastHead = head.hash
      return
    }
  }

  async function scanRange(head: Block): Promise<boolean> {
    const cursor = await readCursor(db, lane)
    if (!cursor) return false
    if (!(await isCanonical(node, cursor, head))) return !(await rewind(cursor, head))
    const to = min(head.number, cursor.number + BigInt(range.size()))
    const confirmedTo = max(min(to, head.number - BigInt(confirmations)), cursor.number)
    const [inclusions, confirmed] = await Promise.all([
      range.read(cursor.number + 1n, to),
      confirmedTo === cursor.number ? cursor : confirmedTo === head.number ? head : readBlock(node, confirmedTo),
    ])
    const isHead = to === head.number
    const { outdated, unknown } = await applyBlocks(db, {
      ...lane,
      cursor,
      to,
      isHead,
      confirmed,
      inclusions,
      ourPaymasters,
    })
    for (const userOpHash of unknown)
      parameters.logger.error({ ...lane, userOpHash }, 'Our paymaster paid for an operation that is not in the log')
    return isHead && !outdated
  }

  /** Moves the cursor back to a block that is also on the node's chain. Returns false if it need not move. */
  async function rewind(from: Block, head: Block): Promise<boolean> {
    const to = await findCommonBlock(parameters, lane, from, head)
    if (!to) return false
    const block = from.number.toString()
    parameters.logger.error({ ...lane, block }, 'A confirmed block is no longer part of the chain')
    await rewindCursor(db, { ...lane, from, to })
    return true
  }

  return { begin, scan }
}

/** Adapts the number of blocks per request, since nodes limit the blocks or logs of one request. */
function createRange({ db, node }: createLaneScanner.Parameters, lane: Lane & { ourPaymasters: string[] }) {
  let size = maxRange

  async function read(from: bigint, to: bigint): Promise<Inclusion[]> {
    if (from > to) return []
    try {
      const { entryPoint, ourPaymasters: paymasters } = lane
      const senders = await listOpenSenders(db, { ...lane, limit: maxSenders })
      const inclusions = await readInclusions({ node, entryPoint, from, to, paymasters, senders })
      size = Math.min(maxRange, size * 2)
      return inclusions
    } catch (error) {
      size = Math.max(1, Math.floor(size / 4))
      throw error
    }
  }

  return { size: () => size, read }
}

async function readStart({ node, confirmations }: createLaneScanner.Parameters): Promise<Block> {
  const head = await readBlock(node, 'latest')
  const start = max(head.number - BigInt(confirmations), 0n)
  return start === head.number ? head : readBlock(node, start)
}

/**
 * Returns a block before `from` on the chain that ends in `head`. If no logged block is on that chain, returns a block
 * before all logged blocks. Returns undefined if the node is merely behind.
 */
async function findCommonBlock(
  { db, node, confirmations }: createLaneScanner.Parameters,
  lane: Lane,
  from: Block,
  head: Block,
): Promise<Block | undefined> {
  const known = (await listKnownBlocks(db, lane, maxKnownBlocks)).filter(({ number }) => number < from.number)
  for (const block of known.filter(({ number }) => number <= head.number))
    if (await isCanonical(node, block, head)) return head.number < from.number ? undefined : block
  const below = (known.at(-1)?.number ?? from.number) - 1n - BigInt(confirmations)
  return readBlock(node, max(min(below, head.number), 0n))
}

async function isCanonical(node: Upstream, block: Block, head: Block): Promise<boolean> {
  if (block.number >= head.number) return block.hash === head.hash
  return (await readBlock(node, block.number)).hash === block.hash
}

const min = (one: bigint, other: bigint) => (one < other ? one : other)
const max = (one: bigint, other: bigint) => (one > other ? one : other)
