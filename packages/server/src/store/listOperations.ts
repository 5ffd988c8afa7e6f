import { sql } from 'kysely'
import type { OperationState } from 'latchkey/wire'
import type { Db } from './openStore.ts'
import type { Operation } from './operations.ts'

/** An operation without the bytes that were sent: they hold the account's signature before the operation is public. */
export type ListedOperation = Omit<Operation, 'request'>

/** Of the last operation of a page: microseconds since the epoch, and hash. */
export type OperationCursor = { micros: string; userOpHash: string }

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
    /** @default 50, at most 500 */
    limit?: number | undefined
    /** `next` of the page before. */
    cursor?: OperationCursor | undefined
  }
  type ReturnType = { operations: ListedOperation[]; next: OperationCursor | undefined }
}

const maxPage = 500

/** Operations by their time of creation, newest first, a page at a time: each filter has an index in that order. */
export async function listOperations(
  db: Db,
  parameters: listOperations.Parameters = {},
): Promise<listOperations.ReturnType> {
  const limit = Math.min(Math.max(1, parameters.limit ?? 50), maxPage)
  const rows = await buildQuery(db, parameters, limit + 1).execute()
  const operations = rows.slice(0, limit)
  const last = operations.at(-1)
  return {
    operations: operations.map(({ micros: _, ...operation }) => operation),
    next: rows.length > limit && last ? { micros: last.micros, userOpHash: last.user_op_hash } : undefined,
  }
}

/** The query of {@link listOperations}, for a look at its plan. */
export function buildQuery(db: Db, parameters: listOperations.Parameters, limit: number) {
  const { projectId, policyId, chainId, sender, state, from, to, cursor } = parameters
  let query = db
    .selectFrom('operations')
    .select(columns)
    // Microseconds: a JavaScript date would cut them off, and skip rows of the same millisecond.
    .select(sql<string>`(extract(epoch from created_at) * 1000000)::bigint`.as('micros'))
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (policyId !== undefined) query = query.where('policy_id', '=', policyId)
  if (chainId !== undefined) query = query.where('chain_id', '=', String(chainId))
  if (sender !== undefined) query = query.where('sender', '=', sender.toLowerCase())
  // In the text of the query: the index of states is a partial one.
  if (state !== undefined) query = query.where(sql<boolean>`state = ${sql.lit(state)}`)
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (to !== undefined) query = query.where('created_at', '<', to)
  if (cursor !== undefined)
    query = query.where(
      sql<boolean>`(created_at, user_op_hash) <
        ('epoch'::timestamptz + ${cursor.micros}::bigint * interval '1 microsecond', ${cursor.userOpHash})`,
    )
  return query.orderBy('created_at', 'desc').orderBy('user_op_hash', 'desc').limit(limit)
}

/** An operation of any project, or undefined. */
export async function readOperation(db: Db, userOpHash: string): Promise<ListedOperation | undefined> {
  const query = db.selectFrom('operations').select(columns).where('user_op_hash', '=', userOpHash.toLowerCase())
  return query.executeTakeFirst()
}

/**
 * Makes an operation that a bundler took due to be sent again, as the same bytes, by the next look of a gateway. Returns
 * false for one that is not waiting at a bundler.
 */
export async function requestResend(db: Db, userOpHash: string): Promise<boolean> {
  const row = await db
    .updateTable('operations')
    .set({ resend_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
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
