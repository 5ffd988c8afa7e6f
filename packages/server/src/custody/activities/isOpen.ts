import type { CustodyContext } from '../deps.ts'
import type { StoredActivity } from './findStored.ts'

/** How long an activity waits for votes: a day. */
export const openMs = 24 * 3_600_000

/** Whether an activity waits for votes. */
export function isOpen(
  { now }: Pick<CustodyContext, 'now'>,
  { status, created_at }: Pick<StoredActivity, 'status' | 'created_at'>,
): boolean {
  return status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' && now() - created_at.getTime() <= openMs
}
