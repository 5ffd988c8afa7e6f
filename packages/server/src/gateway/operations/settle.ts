import { sql } from 'kysely'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { ipSpender, keySpender } from '../../store/ledger/readPosition.ts'

export declare namespace settle {
  /** A `UserOperationEvent` of one of our paymasters, in a confirmed block. */
  type Parameters = {
    chainId: number
    entryPoint: string
    paymaster: string
    sender: string
    nonce: bigint
    userOpHash: string
    /** Wei taken from the paymaster's deposit. */
    actualGasCost: bigint
    success: boolean
    blockNumber: bigint
    blockHash: string
    /** Time of the block. */
    blockTime: Date
    transactionHash: string
    logIndex: number
  }
  type ReturnType = {
    /** False if the operation was already in the ledger. */
    isNew: boolean
    /** Policy whose budget paid; null for an operation without a signature in this ledger. */
    policy: { projectId: string; policyId: string } | null
  }
}

/**
 * Books the cost of an included operation, and closes its reservation. Idempotent for the same event; after a
 * reorganization, the event of another block replaces the previous one. Also books operations that another signer of
 * the same contract signed, so that the sums match the chain; these have no policy.
 */
export async function settle(db: Db, event: settle.Parameters): Promise<settle.ReturnType> {
  const key = toKey(event)
  return inTransaction(db, async (trx) => {
    await trx
      .insertInto('reservations')
      .values({
        ...key,
        state: 'released',
        amount: 0n,
        valid_until: event.blockTime,
        paymaster: event.paymaster.toLowerCase(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const before = await trx
      .selectFrom('reservations')
      .selectAll()
      .where(isKey(key))
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (before.state === 'settled') {
      if (before.block_hash === event.blockHash && before.log_index === event.logIndex)
        return { isNew: false, policy: toPolicyId(before) }
      await recordSpend(trx, before, -1)
    }
    const signed = await closeSignatures(trx, key, event.userOpHash.toLowerCase())
    const after = await trx
      .updateTable('reservations')
      .set({
        state: 'settled',
        paymaster: event.paymaster.toLowerCase(),
        project_id: signed?.project_id ?? null,
        policy_id: signed?.policy_id ?? null,
        caller_key: signed?.caller_key ?? null,
        caller_ip: signed?.caller_ip ?? null,
        user_op_hash: event.userOpHash.toLowerCase(),
        actual_cost: event.actualGasCost,
        success: event.success,
        block_number: event.blockNumber,
        block_hash: event.blockHash,
        block_time: event.blockTime,
        transaction_hash: event.transactionHash,
        log_index: event.logIndex,
        updated_at: sql`latchkey_now()`,
      })
      .where(isKey(key))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordSpend(trx, after, 1)
    return { isNew: true, policy: toPolicyId(after) }
  })
}

type Key = { chain_id: number; entry_point: string; sender: string; nonce: string }

function toKey(operation: { chainId: number; entryPoint: string; sender: string; nonce: bigint }): Key {
  return {
    chain_id: operation.chainId,
    entry_point: operation.entryPoint.toLowerCase(),
    sender: operation.sender.toLowerCase(),
    nonce: operation.nonce.toString(),
  }
}

const isKey = (key: Key) =>
  sql<boolean>`(chain_id, entry_point, sender, nonce) = (${key.chain_id}, ${key.entry_point}, ${key.sender}, ${key.nonce}::numeric)`
const isSignatureKey = (key: Key) =>
  sql<boolean>`(chain_id, entry_point, sender, nonce) = (${key.chain_id}, ${key.entry_point}, ${key.sender}, ${key.nonce}::text)`

/** Closes the signatures for a used nonce and returns the included one. The others can never be included. */
async function closeSignatures(trx: Db, key: Key, userOpHash: string) {
  const rows = await trx
    .updateTable('sponsorships')
    .set({
      state: sql`case when user_op_hash = ${userOpHash} then 'settled' when state = 'expired' then state else 'unused' end`,
    })
    .where(isSignatureKey(key))
    .where('paymaster', 'is not', null)
    .returning(['project_id', 'policy_id', 'user_op_hash', 'caller_key', 'caller_ip'])
    .execute()
  return rows.find((row) => row.user_op_hash === userOpHash)
}

type Settled = {
  chain_id: string
  sender: string
  project_id: string | null
  policy_id: string | null
  caller_key: string | null
  caller_ip: string | null
  actual_cost: string | null
  block_time: Date | null
}

/** Adds an operation to its policy's spending, per sender and requester and in total; `sign` -1 subtracts it. */
async function recordSpend(trx: Db, settled: Settled, sign: 1 | -1): Promise<void> {
  const { chain_id, sender, project_id, policy_id, caller_key: key, caller_ip: ip, actual_cost, block_time } = settled
  if (project_id === null || policy_id === null || actual_cost === null || block_time === null) return
  const cost = (BigInt(actual_cost) * BigInt(sign)).toString()
  const spenders = ['', sender, key === null ? null : keySpender({ key }), ipSpender({ ip })]
  // Sorted, so that concurrent bookings do not deadlock.
  for (const spender of spenders.filter((one) => one !== null).sort())
    await sql`
      insert into policy_spend as spend (project_id, policy_id, chain_id, spender, day, count, cost)
      values (${project_id}, ${policy_id}, ${chain_id}, ${spender}, (${block_time}::timestamptz at time zone 'utc')::date,
        ${sign}, ${cost}::numeric)
      on conflict (project_id, policy_id, chain_id, spender, day) do update
        set count = spend.count + excluded.count, cost = spend.cost + excluded.cost`.execute(trx)
}

function toPolicyId({ project_id, policy_id }: Pick<Settled, 'project_id' | 'policy_id'>) {
  return project_id === null || policy_id === null ? null : { projectId: project_id, policyId: policy_id }
}

export declare namespace unsettle {
  type Parameters = {
    chainId: number
    entryPoint: string
    /** Lowest block that a reorganization replaced. */
    fromBlock: bigint
  }
}

/**
 * Reverts bookings from blocks that the chain no longer has: their operations are reserved again with all their
 * signatures, until they are settled from other blocks or released. Returns the number of operations.
 */
export async function unsettle(db: Db, { chainId, entryPoint, fromBlock }: unsettle.Parameters): Promise<number> {
  return inTransaction(db, async (trx) => {
    const rows = await trx
      .selectFrom('reservations')
      .selectAll()
      .where('chain_id', '=', String(chainId))
      .where('entry_point', '=', entryPoint.toLowerCase())
      .where('state', '=', 'settled')
      .where('block_number', '>=', fromBlock.toString())
      .orderBy('sender')
      .orderBy('nonce')
      .forUpdate()
      .execute()
    for (const row of rows) {
      await recordSpend(trx, row, -1)
      const key = { chain_id: chainId, entry_point: row.entry_point, sender: row.sender, nonce: row.nonce }
      await reopen(trx, key)
    }
    return rows.length
  })
}

async function reopen(trx: Db, key: Key): Promise<void> {
  const signatures = await trx
    .updateTable('sponsorships')
    .set({ state: 'signed' })
    .where(isSignatureKey(key))
    .where('paymaster', 'is not', null)
    .where('state', 'in', ['settled', 'unused'])
    .returning(['max_cost', 'valid_until'])
    .execute()
  const amount = signatures.reduce((most, { max_cost }) => (BigInt(max_cost) > most ? BigInt(max_cost) : most), 0n)
  await trx
    .updateTable('reservations')
    .set({
      // Operations of other signers have no signature in this ledger to wait for.
      state: signatures.length > 0 ? 'reserved' : 'released',
      amount,
      actual_cost: null,
      success: null,
      user_op_hash: null,
      block_number: null,
      block_hash: null,
      block_time: null,
      transaction_hash: null,
      log_index: null,
      updated_at: sql`latchkey_now()`,
    })
    .where(isKey(key))
    .execute()
}
