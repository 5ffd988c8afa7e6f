import type { appendLog } from '../audit/appendLog.ts'
import type { StoredActivity } from './findStored.ts'
import type { Submission } from './recordActivity.ts'

/** What the log keeps of an activity: what authorised it. */
export function toLogContent(
  { caller, organization, stamp, body }: Submission,
  row: Pick<StoredActivity, 'id' | 'type' | 'status'>,
): appendLog.Content {
  return {
    org_id: organization.id,
    activity_id: row.id,
    user_id: caller.userId,
    credential_id: caller.credentialId,
    credential_public_key: caller.publicKey,
    type: row.type,
    status: row.status,
    body,
    stamp: stamp?.text ?? '',
    logged_at: caller.at,
  }
}
