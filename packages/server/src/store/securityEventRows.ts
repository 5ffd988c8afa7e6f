import { sql } from 'kysely'
import type { Db } from '../platform/database/openStore.ts'
import { type TimeOrder, toComparison, toDirection } from '../platform/database/timeOrder.ts'

/** One security event of a process: ids only. `count`: occurrences since the process started. */
export type SecurityEventRow = {
  event: string
  code: string | null
  path: string | null
  organizationId: string | null
  userId: string | null
  requestId: string | null
  count: number
  /** `performance.now()` of the process. */
  notedAt: number
}

/** Inserts a process's events, with its roles, in one statement. */
export async function insertSecurityEvents(
  db: Db,
  roles: readonly string[],
  rows: readonly SecurityEventRow[],
): Promise<void> {
  if (rows.length === 0) return
  // Ages are measured by this machine's clock, and subtracted from the database's time.
  const now = performance.now()
  const values = rows.map(({ notedAt, ...row }) => ({ ...row, agoMs: Math.max(0, now - notedAt) }))
  await sql`insert into security_events (at, roles, event, code, path, organization_id, user_id, request_id, count)
    select latchkey_now() - "agoMs" * interval '1 millisecond', ${roles}::text[], event, code, path, "organizationId", "userId",
      "requestId", count
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as noted (event text, code text, path text,
      "organizationId" text, "userId" text, "requestId" text, count bigint, "agoMs" float8)`.execute(db)
}

export declare namespace listSecurityEvents {
  type Parameters = {
    event?: string | undefined
    limit: number
    /** @default 'newest' */
    order?: TimeOrder | undefined
    /** Id of the last event of the previous page. */
    after?: string | undefined
  }
}

export async function listSecurityEvents(db: Db, parameters: listSecurityEvents.Parameters) {
  return securityEventsQuery(db, parameters).execute()
}

/** Builds the query of {@link listSecurityEvents}; exported so that a test can check its plan. */
export function securityEventsQuery(db: Db, { event, limit, order, after }: listSecurityEvents.Parameters) {
  let query = db.selectFrom('security_events').selectAll()
  if (event !== undefined) query = query.where('event', '=', event)
  if (after !== undefined) query = query.where('id', toComparison(order), after)
  return query.orderBy('id', toDirection(order)).limit(limit)
}
