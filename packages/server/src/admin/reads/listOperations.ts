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

/** An operation without the bytes that were sent: they hold the account's signature before the operation is public. */
export type ListedOperation = Omit<Operation, 'request' | 'outcome' | 'outcome_block' | 'outcome_tries'>

/** The place of an operation in a list by time: as that of other rows, by its hash. */
export type OperationPlace = Pick<TimePlace, 'micros'> & { userOpHash: string }

/** The same by gas used, in decimal digits. */
export type OperationGasPlace = { gas: string; userOpHash: string }

export declare namespace listOperations {
  type Parameters = {
    projectId?: string | undefined
    /** With its project. */
    policyId?: string | undefined
    chainId?: number | undefined
    sender?: string | undefined
    state?: OperationState | undefined
    /** Created at or after. */
    from?: Date | undefined
    /** Created before. */
    to?: Date | undefined
    limit: number
    /** By gas, those alone that are in a block; with their project. @default 'newest' */
    order?: TimeOrder | GasOrder | undefined
    /** Of the last one of the page before, in the same order. */
    after?: OperationPlace | OperationGasPlace | undefined
  }
  type ReturnType = (ListedOperation & Pick<OperationPlace, 'micros'>)[]
}

/** Operations in an order that indexes have: by time for each filter, by gas for a project. */
export async function listOperations(
  db: Db,
  parameters: listOperations.Parameters,
): Promise<listOperations.ReturnType> {
  return buildQuery(db, parameters).execute()
}

/** The query of {@link listOperations}, for a look at its plan. */
export function buildQuery(db: Db, parameters: listOperations.Parameters) {
  const { projectId, policyId, chainId, sender, state, from, to, limit, order, after } = parameters
  let query = db.selectFrom('operations').select([...columns, micros])
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (policyId !== undefined) query = query.where('policy_id', '=', policyId)
  if (chainId !== undefined) query = query.where('chain_id', '=', String(chainId))
  if (sender !== undefined) query = query.where('sender', '=', sender.toLowerCase())
  // In the text of the query: the index of states is a partial one.
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
  // The index has those alone; of another state it would be read to its end, for nothing.
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

/** An operation of any project, or undefined. */
export async function readOperation(db: Db, userOpHash: string): Promise<ReadOperation | undefined> {
  const query = db
    .selectFrom('operations')
    .select([...columns, 'outcome', 'outcome_block'])
    .where('user_op_hash', '=', userOpHash.toLowerCase())
  return query.executeTakeFirst()
}

/**
 * Returns the call data of an operation in hex. A function of the database (`read_call_data`) reads it, since the role's user
 * may not read the signatures beside it. Null if no bytes are kept: it was not sent, or a bundler refused it.
 */
export async function readCallData(db: Db, userOpHash: string): Promise<string | null> {
  const { rows } = await sql<{
    found: string | null
  }>`select read_call_data(${userOpHash.toLowerCase()}) as found`.execute(db)
  return rows[0]?.found ?? null
}

/**
 * Makes an operation that a bundler took due to be sent again, as the same bytes, by the next look of a gateway. Returns
 * false for one that is not waiting at a bundler.
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
