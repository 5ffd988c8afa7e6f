import type { Selectable } from 'kysely'
import type { Activity, ActivityStatus } from 'latchkey/wire'
import type { ActivityTable } from '../../store/tables.ts'
import { toTimestamp } from './toTimestamp.ts'

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
