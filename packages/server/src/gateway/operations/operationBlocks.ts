/**
 * Updates the logged operations from the chain. Once an operation's nonce is used, the operation's state depends only
 * on the events of the canonical chain: it is included, or replaced by another operation with that nonce. Blocks above
 * the cursor are read again until they are confirmed. Reorganizations need no detection, since inclusions that
 * disappeared are reverted.
 */
import { sql } from 'kysely'
import type { OperationState } from 'latchkey-protocol'
import { formatEther } from 'viem'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { countOperation, metrics } from '../../platform/observability/metrics.ts'
import { type Operation, openStates } from '../../store/operations.ts'
import { release } from './release.ts'
import { settle, unsettle } from './settle.ts'

/** Chain and entry point whose events are read together. Addresses in lower case. */
export type Lane = { chainId: number; entryPoint: string }

export type Block = { number: bigint; hash: string; time: Date }

/** A `UserOperationEvent` of an entry point. Addresses and hashes in lower case; gas and wei. */
export type Inclusion = {
  userOpHash: string
  sender: string
  nonce: bigint
  paymaster: string | null
  success: boolean
  actualGasCost: bigint
  actualGasUsed: bigint
  block: Block
  transactionHash: string
  logIndex: number
}

/** Returns a lane's cursor. All blocks up to the cursor are confirmed and read. */
export async function readCursor(db: Db, lane: Lane): Promise<Block | undefined> {
  const row = await db
    .selectFrom('chain_cursors')
    .select(['block_number', 'block_hash', 'block_time'])
    .where('chain_id', '=', String(lane.chainId))
    .where('entry_point', '=', lane.entryPoint)
    .executeTakeFirst()
  return row && { number: BigInt(row.block_number), hash: row.block_hash, time: row.block_time }
}

export async function insertCursor(db: Db, lane: Lane, block: Block): Promise<void> {
  await db
    .insertInto('chain_cursors')
    .values({ chain_id: lane.chainId, entry_point: lane.entryPoint, ...toCursor(block) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export declare namespace rewindCursor {
  type Parameters = Lane & { from: Block; to: Block }
}

/** Moves a cursor back to a block that is still part of the chain. Blocks above it are read again. */
export async function rewindCursor(db: Db, { from, to, ...lane }: rewindCursor.Parameters): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (!(await lockCursor(trx, lane, from))) return
    await trx
      .updateTable('operations')
      .set({ confirmed_at: null, updated_at: sql`latchkey_now()` })
      .where('chain_id', '=', String(lane.chainId))
      .where('entry_point', '=', lane.entryPoint)
      .where('block_number', '>', String(to.number))
      .execute()
    await moveCursor(trx, lane, to)
  })
}

/** Returns blocks that contained operations of a lane, newest first. Two chains can be compared at these blocks. */
export async function listKnownBlocks(db: Db, lane: Lane, limit: number): Promise<Block[]> {
  const rows = await db
    .selectFrom('operations')
    .select(['block_number', 'block_hash', 'block_time'])
    .distinct()
    .where('chain_id', '=', String(lane.chainId))
    .where('entry_point', '=', lane.entryPoint)
    .where('block_number', 'is not', null)
    .orderBy('block_number', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap(({ block_number, block_hash, block_time }) =>
    block_number && block_hash && block_time
      ? [{ number: BigInt(block_number), hash: block_hash, time: block_time }]
      : [],
  )
}

export declare namespace listOpenSenders {
  type Parameters = Lane & {
    /** Paymasters in lower case. All operations they pay for are read, from any sender. */
    ourPaymasters: readonly string[]
    limit: number
  }
}

/**
 * Returns the senders of operations without a confirmed end, longest wait first. Includes sent operations, and
 * operations paid by another provider's paymaster, since they may have reached another bundler.
 */
export async function listOpenSenders(
  db: Db,
  { chainId, entryPoint, ourPaymasters, limit }: listOpenSenders.Parameters,
): Promise<string[]> {
  const isOthers = sql<boolean>`state = 'signed' and paymaster <> all(${ourPaymasters}::text[])`
  const rows = await db
    .selectFrom('operations')
    .select('sender')
    .where('chain_id', '=', String(chainId))
    .where('entry_point', '=', entryPoint)
    .where((expression) =>
      expression.or([expression('state', 'in', ['sent', 'seen', 'included', 'replaced']), isOthers]),
    )
    .where('confirmed_at', 'is', null)
    .groupBy('sender')
    .orderBy((expression) => expression.fn.min('created_at'))
    .limit(limit)
    .execute()
  return rows.map(({ sender }) => sender)
}

export declare namespace applyBlocks {
  type Parameters = Lane & {
    /** Cursor at the time the events were read. */
    cursor: Block
    /** Number of the last block read. */
    to: bigint
    /** Whether `to` is the head of the chain. */
    isHead: boolean
    /** Last confirmed block read, or the cursor. */
    confirmed: Block
    inclusions: readonly Inclusion[]
    /** Configured paymasters, in lower case. */
    ourPaymasters: readonly string[]
  }
  /** `outdated`: another replica moved the cursor, so nothing was written. */
  type ReturnType = { outdated: boolean; unknown: string[] }
}

/**
 * Updates the logged operations and the ledger from the blocks above the cursor, and moves the cursor to the last
 * confirmed block.
 */
export async function applyBlocks(db: Db, blocks: applyBlocks.Parameters): Promise<applyBlocks.ReturnType> {
  const { chainId, entryPoint, cursor, confirmed, inclusions } = blocks
  const lane = { chainId, entryPoint }
  let changes = noChanges()
  const result = await inTransaction(db, async (trx) => {
    changes = noChanges()
    if (!(await lockCursor(trx, lane, cursor))) return { outdated: true, unknown: [] }
    const known = await readKnown(trx, blocks)
    const byNonce = new Map(inclusions.map((inclusion) => [nonceKey(inclusion), inclusion]))
    for (const operation of known) {
      const inclusion = byNonce.get(nonceKey({ ...operation, nonce: BigInt(operation.nonce) }))
      if (inclusion) await include(trx, operation, inclusion, changes)
      else if (operation.block_number !== null) await takeBack(trx, operation)
    }
    const hashes = new Set(known.map((operation) => operation.user_op_hash))
    const unknown = inclusions.filter(
      ({ userOpHash, paymaster }) => !hashes.has(userOpHash) && isOurs(blocks, paymaster),
    )
    for (const inclusion of unknown)
      await trx
        .insertInto('operations')
        .values({ ...toUnknownRow(lane, inclusion), ...included(inclusion) })
        .execute()
    changes.included += unknown.length
    changes.spent = await book(trx, blocks, known)
    changes.dropped = await confirm(trx, blocks)
    await release(trx, { ...lane, scannedTo: confirmed.time })
    await moveCursor(trx, lane, confirmed)
    return { outdated: false, unknown: unknown.map(({ userOpHash }) => userOpHash) }
  })
  count(chainId, changes)
  return result
}

/**
 * Metrics that are counted after the transaction commits. `spent`: wei that our paymasters paid for newly booked
 * operations.
 */
type Changes = { included: number; replaced: number; dropped: number; spent: bigint }
const noChanges = (): Changes => ({ included: 0, replaced: 0, dropped: 0, spent: 0n })

function count(chain: number, { spent, ...states }: Changes): void {
  for (const [state, times] of Object.entries(states)) countOperation(chain, state, times)
  if (spent > 0n) metrics.sponsorshipSpent.inc({ chain }, Number(formatEther(spent)))
}

/**
 * Books the amounts that our paymasters paid, and amounts that another paymaster paid for operations we had signed.
 * After a reorganization, books everything from the first changed block again. Returns the cost of newly booked
 * operations.
 */
async function book(db: Db, blocks: applyBlocks.Parameters, before: readonly Operation[]): Promise<bigint> {
  const { chainId, entryPoint } = blocks
  const signed = new Set(before.flatMap(({ max_cost, user_op_hash }) => (max_cost === null ? [] : user_op_hash)))
  const isBooked = (hash: string, paymaster: string | null) => signed.has(hash) || isOurs(blocks, paymaster)
  const paid = blocks.inclusions.filter(({ userOpHash, paymaster }) => isBooked(userOpHash, paymaster))
  const now = new Map(paid.map(({ userOpHash, block }) => [userOpHash, block.hash]))
  const booked = before.filter(
    ({ state, user_op_hash, paymaster }) => state === 'included' && isBooked(user_op_hash, paymaster),
  )
  const moved = booked.filter(({ user_op_hash, block_hash }) => now.get(user_op_hash) !== block_hash)
  const fromBlock = moved.map(({ block_number }) => BigInt(block_number ?? 0)).sort((a, b) => (a < b ? -1 : 1))[0]
  if (fromBlock !== undefined) await unsettle(db, { chainId, entryPoint, fromBlock })
  const known = new Map(booked.map(({ user_op_hash, block_hash }) => [user_op_hash, block_hash]))
  let spent = 0n
  for (const inclusion of paid) {
    const { userOpHash, paymaster, block } = inclusion
    const isDone = fromBlock === undefined && known.get(userOpHash) === block.hash
    if (isDone || paymaster === null) continue
    const { number: blockNumber, hash: blockHash, time: blockTime } = block
    await settle(db, { chainId, entryPoint, ...inclusion, paymaster, blockNumber, blockHash, blockTime })
    if (!known.has(userOpHash)) spent += inclusion.actualGasCost
  }
  return spent
}

/**
 * Returns the operations that the events may change, sorted by project, which is the order of locking projects' events.
 */
async function readKnown(db: Db, blocks: applyBlocks.Parameters): Promise<Operation[]> {
  const { chainId, entryPoint, cursor, to, isHead, inclusions } = blocks
  const senders = inclusions.map(({ sender }) => sender)
  const nonces = inclusions.map(({ nonce }) => nonce.toString())
  const above = sql<boolean>`block_number > ${cursor.number}::bigint
    and (${isHead}::boolean or block_number <= ${to}::bigint)`
  const used = sql<boolean>`(sender, nonce) in
    (select * from unnest(${senders}::text[], ${nonces}::numeric[]))`
  return db
    .selectFrom('operations')
    .selectAll()
    .where('chain_id', '=', String(chainId))
    .where('entry_point', '=', entryPoint)
    .where((expression) => expression.or([above, used]))
    .orderBy('project_id')
    .orderBy('user_op_hash')
    .execute()
}

async function include(db: Db, operation: Operation, inclusion: Inclusion, changes: Changes): Promise<void> {
  const isIt = operation.user_op_hash === inclusion.userOpHash
  const state = isIt ? 'included' : 'replaced'
  if (operation.state === state && operation.block_hash === inclusion.block.hash) return
  const change = isIt ? included(inclusion) : replaced(inclusion)
  changes[state] += 1
  await db
    .updateTable('operations')
    .set({ ...change, failure: null, confirmed_at: null, updated_at: sql`latchkey_now()` })
    .where('user_op_hash', '=', operation.user_op_hash)
    .execute()
}

/** Reverts an operation whose nonce was used in a block that is no longer part of the chain. */
async function takeBack(db: Db, operation: Operation): Promise<void> {
  const { seen_at, sent_at, signed_at } = operation
  const state: OperationState = seen_at ? 'seen' : sent_at ? 'sent' : signed_at ? 'signed' : 'prepared'
  await db
    .updateTable('operations')
    .set({
      ...noInclusion,
      state,
      block_number: null,
      block_hash: null,
      block_time: null,
      replaced_by: null,
      ended_at: null,
      confirmed_at: null,
      resend_at: state === 'seen' ? sql<Date>`latchkey_now()` : null,
      updated_at: sql`latchkey_now()`,
    })
    .where('user_op_hash', '=', operation.user_op_hash)
    .execute()
}

/**
 * Finalizes confirmed operations: included, replaced, and open operations that can no longer be included. Returns how
 * many open operations were finalized.
 */
async function confirm(db: Db, { chainId, entryPoint, confirmed }: applyBlocks.Parameters): Promise<number> {
  const ofLane = db
    .updateTable('operations')
    .where('chain_id', '=', String(chainId))
    .where('entry_point', '=', entryPoint)
  await ofLane
    .set({ confirmed_at: sql`latchkey_now()`, updated_at: sql`latchkey_now()` })
    .where('confirmed_at', 'is', null)
    .where('block_number', '<=', String(confirmed.number))
    .execute()
  const dropped = {
    state: 'dropped' as const,
    ended_at: sql<Date>`latchkey_now()`,
    updated_at: sql<Date>`latchkey_now()`,
  }
  // As the EntryPoint defines it, an operation is expired if the block's time is later than validUntil.
  const expired = await ofLane
    .set({ ...dropped, failure: 'The paymaster signature expired.' })
    .where('state', 'in', openStates)
    .where('valid_until', '<', confirmed.time)
    .executeTakeFirst()
  const lost = await ofLane
    .set({ ...dropped, failure: 'It was not included in a day.' })
    .where('state', 'in', openStates)
    .where('valid_until', 'is', null)
    .where('created_at', '<', sql<Date>`latchkey_now() - interval '1 day'`)
    .executeTakeFirst()
  return Number(expired.numUpdatedRows + lost.numUpdatedRows)
}

async function lockCursor(db: Db, lane: Lane, cursor: Block): Promise<boolean> {
  const row = await db
    .selectFrom('chain_cursors')
    .select(['block_number', 'block_hash'])
    .where('chain_id', '=', String(lane.chainId))
    .where('entry_point', '=', lane.entryPoint)
    .forUpdate()
    .executeTakeFirst()
  return row?.block_number === cursor.number.toString() && row.block_hash === cursor.hash
}

async function moveCursor(db: Db, lane: Lane, block: Block): Promise<void> {
  await db
    .updateTable('chain_cursors')
    .set({ ...toCursor(block), updated_at: sql`latchkey_now()` })
    .where('chain_id', '=', String(lane.chainId))
    .where('entry_point', '=', lane.entryPoint)
    .execute()
}

function isOurs({ ourPaymasters }: applyBlocks.Parameters, paymaster: string | null): boolean {
  return paymaster !== null && ourPaymasters.includes(paymaster)
}

const nonceKey = ({ sender, nonce }: { sender: string; nonce: bigint }) => `${sender} ${nonce}`

const toCursor = ({ number, hash, time }: Block) => ({ block_number: number, block_hash: hash, block_time: time })

const noInclusion = {
  transaction_hash: null,
  log_index: null,
  success: null,
  actual_gas_used: null,
  actual_gas_cost: null,
}

function included(inclusion: Inclusion) {
  return {
    ...toCursor(inclusion.block),
    state: 'included' as const,
    transaction_hash: inclusion.transactionHash,
    log_index: inclusion.logIndex,
    success: inclusion.success,
    actual_gas_used: inclusion.actualGasUsed,
    actual_gas_cost: inclusion.actualGasCost,
    paymaster: inclusion.paymaster,
    replaced_by: null,
    ended_at: sql<Date>`latchkey_now()`,
    outcome_tries: 0,
  }
}

function replaced(inclusion: Inclusion) {
  return {
    ...toCursor(inclusion.block),
    ...noInclusion,
    state: 'replaced' as const,
    replaced_by: inclusion.userOpHash,
    ended_at: sql<Date>`latchkey_now()`,
  }
}

function toUnknownRow(lane: Lane, { userOpHash, sender, nonce }: Inclusion) {
  return { user_op_hash: userOpHash, chain_id: lane.chainId, entry_point: lane.entryPoint, sender, nonce }
}
