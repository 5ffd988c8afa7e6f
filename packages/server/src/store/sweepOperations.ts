import { sql } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'

/** Retention of the operation log. */
export type OperationRetention = {
  /** Days that events are kept for streams to replay. @default 7 */
  eventDays?: number | undefined
  /** Days that ended operations with a confirmed outcome, and counts of refusals, are kept. @default 365 */
  operationDays?: number | undefined
}

const batch = 1_000
/** Maximum batches of one run, so that a run ends and does not lock rows for long. */
const maxBatches = 200

/**
 * Deletes rows past their retention: events, then operations that have ended and are confirmed. Never deletes open
 * operations or the ledger, except the daily sums of client IP addresses. Returns the number of deleted rows.
 */
export async function sweepOperations(
  db: Db,
  { eventDays = 7, operationDays = 365 }: OperationRetention = {},
): Promise<{ events: number; operations: number }> {
  // Uses arrays, so that each row is found by its key, whatever batch size the planner assumes.
  const events = await inBatches(async () => {
    const { numAffectedRows } = await sql`
      delete from operation_events where id = any(array(
        select id from operation_events where created_at < latchkey_now() - ${eventDays} * interval '1 day' limit ${batch}
      ))`.execute(db)
    return numAffectedRows
  })
  const operations = await inBatches(async () => {
    const { numAffectedRows } = await sql`
      delete from operations where user_op_hash = any(array(
        select user_op_hash from operations
        where ended_at < latchkey_now() - ${operationDays} * interval '1 day'
          and state in ('included', 'replaced', 'dropped', 'failed')
          and (confirmed_at is not null or block_number is null)
        limit ${batch} for update skip locked
      ))`.execute(db)
    return numAffectedRows
  })
  // These rows contain digests of client IP addresses and serve only daily limits.
  await sql`delete from policy_spend
    where spender like 'ip:%' and day < (latchkey_now() at time zone 'utc')::date - 2`.execute(db)
  await sql`delete from refusals where hour < latchkey_now() - ${operationDays} * interval '1 day'`.execute(db)
  return { events, operations }
}

async function inBatches(run: () => Promise<bigint | undefined>): Promise<number> {
  let total = 0
  for (let count = 0; count < maxBatches; count++) {
    const affected = Number((await run()) ?? 0n)
    total += affected
    if (affected < batch) break
  }
  return total
}
