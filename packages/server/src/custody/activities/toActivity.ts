import type { Selectable } from 'kysely'
import type { Activity, ActivityStatus, Timestamp } from 'latchkey/wire'
import type { ActivityTable } from '../../store/tables.ts'

/** The activity object of custody protocol § 2.3. */
export function toActivity(row: Selectable<ActivityTable>): Activity {
  return {
    id: row.id,
    organizationId: row.org_id,
    status: row.status as ActivityStatus,
    type: row.type,
    intent: row.intent,
    result: row.result,
    votes: [],
    fingerprint: row.fingerprint,
    canApprove: false,
    canReject: false,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

function toTimestamp(date: Date): Timestamp {
  const ms = date.getTime()
  return { seconds: String(Math.floor(ms / 1000)), nanos: String((ms % 1000) * 1_000_000) }
}
