/**
 * The operation log. The gateway writes a row when it prepares, signs or sends an operation; `operationBlocks.ts`
 * writes the operation's outcome on the chain. A trigger appends an event for each change and notifies listeners.
 */
import { type Selectable, sql } from 'kysely'
import type { OperationState } from 'latchkey-protocol'
import type { OperationEventTable, OperationTable } from '../platform/database/gatewayTables.ts'
import type { Db } from '../platform/database/openStore.ts'
import { countOperation } from '../platform/observability/metrics.ts'

/** Non-final states. */
export const openStates = ['prepared', 'signed', 'sent', 'seen'] as const satisfies OperationState[]

/** Time of the first resend after a bundler accepted an operation, unless it is on the chain by then. */
const firstResend = sql<Date>`latchkey_now() + interval '3 seconds'`

/** Identity of an operation, and its payer. */
export type OperationKey = {
  userOpHash: string
  chainId: number
  entryPoint: string
  sender: string
  nonce: bigint
  /** Null when the account itself pays. */
  paymaster: string | null
}

export type Operation = Selectable<OperationTable>

export declare namespace logPrepared {
  type Parameters = OperationKey & { projectId: string; policyId?: string | undefined }
}

/** Logs an operation whose gas and fees we set and that our paymaster does not pay for. */
export async function logPrepared(db: Db, operation: logPrepared.Parameters): Promise<void> {
  const row = await db
    .insertInto('operations')
    .values({ ...toRow(operation), state: 'prepared', prepared_at: sql<Date>`latchkey_now()` })
    .onConflict((conflict) => conflict.doNothing())
    .returning('chain_id')
    .executeTakeFirst()
  countOperation(row?.chain_id, 'prepared')
}

export declare namespace logSigned {
  type Parameters = OperationKey & {
    projectId: string
    policyId: string
    /** Wei. */
    maxCost: bigint
    /** Seconds since the epoch. */
    validUntil: number
  }
}

/** Logs an operation that our paymaster signed for, in the transaction that reserves its cost. */
export async function logSigned(db: Db, operation: logSigned.Parameters): Promise<void> {
  const signed = {
    state: 'signed' as const,
    signed_at: sql<Date>`latchkey_now()`,
    policy_id: operation.policyId,
    max_cost: operation.maxCost,
    valid_until: new Date(operation.validUntil * 1000),
    updated_at: sql<Date>`latchkey_now()`,
  }
  const row = await db
    .insertInto('operations')
    .values({ ...toRow(operation), ...signed, prepared_at: sql<Date>`latchkey_now()` })
    .onConflict((conflict) =>
      conflict.column('user_op_hash').doUpdateSet(signed).where('operations.state', '=', 'prepared'),
    )
    .returning('chain_id')
    .executeTakeFirst()
  countOperation(row?.chain_id, 'signed')
}

export declare namespace logSent {
  type Parameters = OperationKey & {
    projectId: string
    /** Parameters of `eth_sendUserOperation`, JSON. */
    request: string
  }
  /**
   * `seen`: whether a bundler has accepted it before. `foreign`: whether it belongs to another project, so that nothing
   * was logged.
   */
  type ReturnType = 'sent' | 'seen' | 'included' | 'foreign'
}

/**
 * Logs that an operation is being sent to the bundler, with unknown outcome. Stores the first bytes until a bundler
 * refuses them: the hash does not cover the account's signature, so another caller with the same API key could later
 * send the operation with a wrong signature.
 */
export async function logSent(db: Db, operation: logSent.Parameters): Promise<logSent.ReturnType> {
  const sent = await db
    .insertInto('operations')
    .values({ ...toRow(operation), state: 'sent', sent_at: sql<Date>`latchkey_now()`, request: operation.request })
    .onConflict((conflict) =>
      conflict
        .column('user_op_hash')
        .doUpdateSet({
          state: 'sent',
          sent_at: sql<Date>`latchkey_now()`,
          request: sql<string>`coalesce(operations.request, excluded.request)`,
          failure: null,
          ended_at: null,
          updated_at: sql<Date>`latchkey_now()`,
        })
        .where('operations.project_id', '=', operation.projectId)
        .where('operations.state', 'in', ['prepared', 'signed', 'sent', 'dropped', 'failed']),
    )
    .returning('chain_id')
    .executeTakeFirst()
  countOperation(sent?.chain_id, 'sent')
  if (sent) return 'sent'
  const row = await db
    .selectFrom('operations')
    .select('state')
    .where('user_op_hash', '=', operation.userOpHash)
    .where('project_id', '=', operation.projectId)
    .executeTakeFirst()
  if (!row) return 'foreign'
  return row.state === 'included' ? 'included' : 'seen'
}

export declare namespace logSeen {
  type Parameters = {
    userOpHash: string
    projectId: string
    /** The accepted bytes; undefined if the bundler already had the operation. */
    request?: string | undefined
  }
}

/** Logs that a bundler has an operation. From now on, the operation is resent if the bundler loses it. */
export async function logSeen(db: Db, { userOpHash, projectId, request }: logSeen.Parameters): Promise<void> {
  const row = await db
    .updateTable('operations')
    .set({
      state: 'seen',
      seen_at: sql<Date>`latchkey_now()`,
      failure: null,
      ended_at: null,
      resend_at: firstResend,
      updated_at: sql<Date>`latchkey_now()`,
      ...(request !== undefined && { request }),
    })
    .where('user_op_hash', '=', userOpHash)
    .where('project_id', '=', projectId)
    .where('state', 'in', ['prepared', 'signed', 'sent', 'dropped', 'failed'])
    .returning('chain_id')
    .executeTakeFirst()
  countOperation(row?.chain_id, 'seen')
}

export declare namespace logFailed {
  type Parameters = {
    userOpHash: string
    projectId: string
    /** Error message of the bundler. */
    failure: string
  }
}

/** Logs that the bundler refused an operation. An operation that it accepted before stays unchanged. */
export async function logFailed(db: Db, { userOpHash, projectId, failure }: logFailed.Parameters): Promise<void> {
  const row = await db
    .updateTable('operations')
    .set({
      state: 'failed',
      failure: failure.slice(0, 300),
      request: null,
      ended_at: sql<Date>`latchkey_now()`,
      updated_at: sql<Date>`latchkey_now()`,
    })
    .where('user_op_hash', '=', userOpHash)
    .where('project_id', '=', projectId)
    .where('state', '=', 'sent')
    .returning('chain_id')
    .executeTakeFirst()
  countOperation(row?.chain_id, 'failed')
}

export declare namespace claimResends {
  type Parameters = { chainId: number; limit: number }
  type ReturnType = { user_op_hash: string; request: string; resends: number }[]
}

/**
 * Claims operations that a bundler accepted a while ago. Each is due again after exponential backoff, at most five
 * minutes. If several were accepted for one nonce, claims only the last one, since the sender wants that one.
 */
export async function claimResends(
  db: Db,
  { chainId, limit }: claimResends.Parameters,
): Promise<claimResends.ReturnType> {
  const { rows } = await sql<claimResends.ReturnType[number]>`
    update operations set
      resends = resends + 1,
      resend_at = latchkey_now() + least(power(2, resends + 1) * interval '3 seconds', interval '5 minutes')
    where user_op_hash in (
      select due.user_op_hash from operations as due
      where due.chain_id = ${chainId} and due.state = 'seen' and due.resend_at <= latchkey_now() and due.request is not null
        and not exists (
          select from operations as later
          where later.chain_id = due.chain_id and later.entry_point = due.entry_point and later.sender = due.sender
            and later.nonce = due.nonce and later.state = 'seen' and later.seen_at > due.seen_at
        )
      order by due.resend_at
      limit ${limit}
      for update skip locked
    )
    returning user_op_hash, request, resends`.execute(db)
  return rows
}

export declare namespace releaseResends {
  type Parameters = {
    /** Operation for which no bundler could be reached. */
    failed: string
    /** Later operations, which were not tried. */
    untried: readonly string[]
  }
}

/**
 * Reverts claims that led to no resend, so that they do not count and the delay does not double. Untried operations
 * become due immediately, ahead of the failed one, so that one operation cannot block the others.
 */
export async function releaseResends(db: Db, { failed, untried }: releaseResends.Parameters): Promise<void> {
  await db
    .updateTable('operations')
    .set({
      resends: sql<number>`greatest(resends - 1, 0)`,
      resend_at: sql<Date>`case when user_op_hash = ${failed} then ${firstResend} else latchkey_now() end`,
    })
    .where('user_op_hash', 'in', [failed, ...untried])
    .where('state', '=', 'seen')
    .execute()
}

export declare namespace findOperation {
  type Parameters = { userOpHash: string; projectId: string }
}

/** Returns an operation of a project; undefined if it belongs to another project. */
export async function findOperation(
  db: Db,
  { userOpHash, projectId }: findOperation.Parameters,
): Promise<Operation | undefined> {
  return db
    .selectFrom('operations')
    .selectAll()
    .where('user_op_hash', '=', userOpHash.toLowerCase())
    .where('project_id', '=', projectId)
    .executeTakeFirst()
}

export type LoggedEvent = Selectable<OperationEventTable> &
  Pick<Operation, 'chain_id' | 'entry_point' | 'sender' | 'nonce' | 'policy_id'>

export declare namespace listOperationEvents {
  type Parameters = {
    projectId: string
    /** Id of an event; only later ones are returned. */
    after: string
    /** Returns only events of this operation. */
    userOpHash?: string | undefined
    limit: number
  }
}

/** Returns changes of a project's operations, oldest first. Once an event has been returned, no earlier one appears. */
export async function listOperationEvents(
  db: Db,
  { projectId, after, userOpHash, limit }: listOperationEvents.Parameters,
): Promise<LoggedEvent[]> {
  let query = db
    .selectFrom('operation_events')
    .innerJoin('operations', 'operations.user_op_hash', 'operation_events.user_op_hash')
    .selectAll('operation_events')
    .select([
      'operations.chain_id',
      'operations.entry_point',
      'operations.sender',
      'operations.nonce',
      'operations.policy_id',
    ])
    .where('operation_events.project_id', '=', projectId)
    .where('operation_events.id', '>', after)
  if (userOpHash !== undefined) query = query.where('operation_events.user_op_hash', '=', userOpHash)
  return query.orderBy('operation_events.id').limit(limit).execute()
}

/** Returns the id of a project's newest event; `0` when it has none. */
export async function readLastEventId(db: Db, projectId: string): Promise<string> {
  const row = await db
    .selectFrom('operation_events')
    .select((expression) => expression.fn.max('id').as('id'))
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.id ?? '0'
}

function toRow(operation: OperationKey & { projectId: string; policyId?: string | undefined }) {
  return {
    user_op_hash: operation.userOpHash.toLowerCase(),
    project_id: operation.projectId,
    policy_id: operation.policyId ?? null,
    chain_id: operation.chainId,
    entry_point: operation.entryPoint.toLowerCase(),
    sender: operation.sender.toLowerCase(),
    nonce: operation.nonce,
    paymaster: operation.paymaster?.toLowerCase() ?? null,
  }
}
