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
    /** The intent's member with what it says. */
    intent: Record<string, unknown>
    /** Whom it concerns. */
    by: Pick<StoredActivity, 'user_id' | 'credential_id'>
  }
}

/**
 * Records an activity that custody itself carries out, complete, with its log entry. No request asked for it, so it has no
 * stamp: the MAC of its row proves it. Holds the chain's end until the transaction is over. Returns its id.
 */
export async function recordOwn(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId, type, intent, by }: recordOwn.Parameters,
): Promise<string> {
  const at = new Date(context.now())
  // The id makes the bytes, and with them the fingerprint, those of no other activity.
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
