import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/openStore.ts'

/** Milliseconds within which a second operator must confirm. Custody applies the same limit. */
const waitingMs = 86_400_000

/** A deletion waiting for a second operator. `body`: the bytes that the first operator stamped. */
export type OperatorRequest = { operatorId: string; body: string; stamp: string; createdAt: Date }

/** Returns an organization's pending request, unless it has expired. */
export async function findOperatorRequest(db: Db, orgId: string, now: number): Promise<OperatorRequest | undefined> {
  const row = await db
    .selectFrom('operator_requests')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('created_at', '>', new Date(now - waitingMs))
    .executeTakeFirst()
  return row && { operatorId: row.operator_id, body: row.body, stamp: row.stamp, createdAt: row.created_at }
}

/** Stores a request, replacing an expired one. */
export async function putOperatorRequest(db: Db, orgId: string, request: OperatorRequest): Promise<void> {
  await endOperatorRequest(db, orgId)
  const { operatorId: operator_id, body, stamp, createdAt: created_at } = request
  await db
    .insertInto('operator_requests')
    .values({ id: randomUUID(), org_id: orgId, operator_id, body, stamp, created_at })
    .execute()
}

/** Removes a completed or withdrawn request, and returns whether there was one. */
export async function endOperatorRequest(db: Db, orgId: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('operator_requests').where('org_id', '=', orgId).executeTakeFirst()
  return numDeletedRows > 0n
}
