import { randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/openStore.ts'
import { appendLog } from '../audit/appendLog.ts'
import type { CustodyContext } from '../deps.ts'
import { fingerprint } from './envelope.ts'
import { type StoredActivity, toActivityRow } from './storedActivity.ts'

export declare namespace recordOwn {
  type Parameters = {
    orgId: string
    type: string
    /** The intent's name and content. */
    intent: Record<string, unknown>
    /** User and credential that the activity concerns. */
    by: Pick<StoredActivity, 'user_id' | 'credential_id'>
  }
}

/**
 * Records a completed activity of custody itself, with its log entry, and returns its id. The activity has no request
 * and no stamp; the MAC of its row proves it. Locks the chain's head until the transaction ends.
 */
export async function recordOwn(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, type, intent, by }: recordOwn.Parameters,
): Promise<string> {
  const at = new Date(context.now())
  // The id makes the bytes, and thus the fingerprint, unique.
  const id = randomUUID()
  const body = Buffer.from(JSON.stringify({ type, timestampMs: String(at.getTime()), activityId: id, ...intent }))
  const status = 'ACTIVITY_STATUS_COMPLETED'
  const row: StoredActivity = {
    id,
    org_id: orgId,
    ...by,
    fingerprint: fingerprint(body),
    type,
    status,
    intent,
    result: {},
    failure: null,
    result_expires_at: null,
    threshold: 1,
    created_at: at,
    updated_at: at,
  }
  await db.insertInto('activities').values(toActivityRow(context, row)).execute()
  const what = { activity_id: id, credential_public_key: '', type, status, body, stamp: '', logged_at: at }
  await appendLog(context, db, { org_id: orgId, ...by, ...what })
  return id
}
