import type { Activity, ActivityStatus, CustodyErrorBody } from 'latchkey/wire'
import type { StoredActivity } from './findStored.ts'
import { toTimestamp } from './toTimestamp.ts'

export declare namespace toActivity {
  type Options = {
    /** For results that are not kept. */
    now: Date
    /** Votes in the wire's form. @default none */
    votes?: readonly Record<string, unknown>[] | undefined
    /** The one who asks may still vote. @default false */
    mayVote?: boolean | undefined
  }
}

/** The activity object of custody protocol § 2.3. A result whose time is over is left out. */
export function toActivity(row: StoredActivity, options: toActivity.Options): Activity {
  const { now, votes = [], mayVote = false } = options
  const isErased = row.result_expires_at !== null && row.result_expires_at <= now
  return {
    id: row.id,
    organizationId: row.org_id,
    status: row.status as ActivityStatus,
    type: row.type,
    intent: row.intent,
    result: isErased ? {} : row.result,
    votes: [...votes],
    fingerprint: row.fingerprint,
    canApprove: mayVote,
    canReject: mayVote,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    ...(row.failure && { failure: row.failure as CustodyErrorBody }),
  }
}
