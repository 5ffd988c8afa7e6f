import { sql } from 'kysely'
import type { OperationState } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import {
  type GasOrder,
  isBehind,
  micros,
  type TimeOrder,
  type TimePlace,
  toComparison,
  toDirection,
} from '../../platform/database/timeOrder.ts'
import type { Operation } from '../../store/operations.ts'

/** An operation without its sent bytes, which contain the account's signature even before the operation is public. */
export type ListedOperation = Omit<Operation, 'request' | 'outcome' | 'outcome_block' | 'outcome_tries'>

/** Position of an operation in a list by time, identified by its hash. */
export type OperationPlace = Pick<TimePlace, 'micros'> & { userOpHash: string }

/** Position in a list by gas used, in decimal digits. */
export type OperationGasPlace = { gas: string; userOpHash: string }

export declare namespace listOperations {
  type Parameters = {
    projectId?: string | undefined
    /** Requires a project filter. */
    policyId?: string | undefined
    chainId?: number | undefined
    sender?: string | undefined
    state?: OperationState | undefined
    /** Earliest creation time, inclusive. */
    from?: Date | undefined
    /** Latest creation time, exclusive. */
    to?: Date | undefined
    limit: number
    /** Gas orders list only included operations and require a project. @default 'newest' */
    order?: TimeOrder | GasOrder | undefined
    /** Position of the previous page's last row, in the same order. */
    after?: OperationPlace | OperationGasPlace | undefined
  }
  type ReturnType = (ListedOperation & Pick<OperationPlace, 'micros'>)[]
}

/** Returns operations in an order that an index supports: by time with any filter, or by gas within one project. */
export async function listOperations(
  db: Db,
  parameters: listOperations.Parameters,
): Promise<listOperations.ReturnType> {
  return buildQuery(db, parameters).execute()
}

/** Builds the query of {@link listOperations}; exported so that a test can check its plan. */
export function buildQuery(db: Db, parameters: listOperations.Parameters) {
  const { projectId, policyId, chainId, sender, state, from, to, limit, order, after } = parameters
  let query = db.selectFrom('operations').select([...columns, micros])
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (policyId !== undefined) query = query.where('policy_id', '=', policyId)
  if (chainId !== undefined) query = query.where('chain_id', '=', String(chainId))
  if (sender !== undefined) query = query.where('sender', '=', sender.toLowerCase())
  // Inlined as a literal, since the index on states is partial.
  if (state !== undefined) query = query.where(sql<boolean>`state = ${sql.lit(state)}`)
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (to !== undefined) query = query.where('created_at', '<', to)
  const direction = toDirection(order)
  if (order !== 'most-gas' && order !== 'least-gas') {
    if (after && 'micros' in after)
      query = query.where(
        isBehind({ micros: after.micros, id: after.userOpHash }, { order, column: 'user_op_hash', type: 'text' }),
      )
    return query.orderBy('created_at', direction).orderBy('user_op_hash', direction).limit(limit)
  }
  // The index contains only included operations, so a query for another state would scan all of it and find nothing.
  query = query.where(
    state === undefined || state === 'included' ? sql<boolean>`state = 'included'` : sql<boolean>`false`,
  )
  if (after && 'gas' in after)
    query = query.where(
      sql<boolean>`(actual_gas_used, user_op_hash) ${sql.raw(toComparison(order))} (${after.gas}::numeric, ${after.userOpHash}::text)`,
    )
  return query.orderBy('actual_gas_used', direction).orderBy('user_op_hash', direction).limit(limit)
}

export type ReadOperation = ListedOperation & Pick<Operation, 'outcome' | 'outcome_block'>

export async function readOperation(db: Db, userOpHash: string): Promise<ReadOperation | undefined> {
  const query = db
    .selectFrom('operations')
    .select([...columns, 'outcome', 'outcome_block'])
    .where('user_op_hash', '=', userOpHash.toLowerCase())
  return query.executeTakeFirst()
}

/**
 * Returns the call data of an operation in hex. Uses the database function `read_call_data`, since the role may not
 * read the signatures. Returns null if no bytes are stored: the operation was never sent, or a bundler refused it.
 */
export async function readCallData(db: Db, userOpHash: string): Promise<string | null> {
  const { rows } = await sql<{
    found: string | null
  }>`select read_call_data(${userOpHash.toLowerCase()}) as found`.execute(db)
  return rows[0]?.found ?? null
}

/**
 * Schedules an accepted operation for resending, unchanged, at a gateway's next check. Returns false if no bundler has
 * the operation pending.
 */
export async function requestResend(db: Db, userOpHash: string): Promise<boolean> {
  const row = await db
    .updateTable('operations')
    .set({ resend_at: sql<Date>`latchkey_now()`, updated_at: sql<Date>`latchkey_now()` })
    .where('user_op_hash', '=', userOpHash.toLowerCase())
    .where('state', '=', 'seen')
    .returning('user_op_hash')
    .executeTakeFirst()
  return row !== undefined
}

const columns = [
  'user_op_hash',
  'project_id',
  'policy_id',
  'chain_id',
  'entry_point',
  'sender',
  'nonce',
  'paymaster',
  'max_cost',
  'valid_until',
  'state',
  'failure',
  'replaced_by',
  'prepared_at',
  'signed_at',
  'sent_at',
  'seen_at',
  'ended_at',
  'block_number',
  'block_hash',
  'block_time',
  'transaction_hash',
  'log_index',
  'success',
  'actual_gas_used',
  'actual_gas_cost',
  'confirmed_at',
  'resends',
  'resend_at',
  'created_at',
  'updated_at',
] as const
