import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { ServerError } from '../../http/ServerError.ts'
import { linkEntry, readHead } from '../audit/appendLog.ts'
import { headMac, type LogEntry } from '../audit/logEntry.ts'
import type { CustodyContext } from '../deps.ts'
import type { ActivityDefinition } from './definition.ts'
import { findStored, type StoredActivity } from './findStored.ts'
import type { Submission } from './recordActivity.ts'

/** More requests of one organization at once than this take turns elsewhere. */
const maxTries = 50

/** Whether nothing but the activity and its log entry is to be written: no vote, no passkey's counter. */
export function canRecordAtOnce({ caller, organization, stamp }: Submission): boolean {
  return (
    stamp !== undefined && caller.signCount === 0 && (organization.threshold === 1 || caller.orgId !== organization.id)
  )
}

/**
 * Does a pure activity and then writes it with its log entry in one statement, all or nothing, which also moves the
 * chain's end from where it was read. When another request moved it first, it is linked anew.
 *
 * @throws ServerError what the activity throws; then nothing is written
 */
export async function recordAtOnce(
  context: CustodyContext,
  definition: ActivityDefinition,
  submission: Submission,
): Promise<StoredActivity> {
  const { db } = context
  const { identity, caller, organization, stamp, parameters } = submission
  const activityId = randomUUID()
  const work = definition.execute(context, { db, activityId, caller, organization, parameters, stamp })
  const [head, result] = await Promise.all([readHead(context, db, identity.org_id), work])
  const row = toRow(submission, activityId, result)
  const content = {
    org_id: identity.org_id,
    activity_id: activityId,
    user_id: caller.userId,
    credential_id: caller.credentialId,
    credential_public_key: caller.publicKey,
    type: row.type,
    status: row.status,
    body: submission.body,
    stamp: stamp?.text ?? '',
    logged_at: caller.at,
  }
  try {
    for (let end = head, tries = 1; ; tries++) {
      if (await insert(context, row, linkEntry(content, end))) return row
      if (tries === maxTries) throw busy()
      end = await readHead(context, db, identity.org_id)
    }
  } catch (error) {
    const stored = isDuplicate(error) ? await findStored(db, identity) : undefined
    if (stored) return stored
    throw error
  }
}

function toRow(submission: Submission, id: string, result: Record<string, unknown>): StoredActivity {
  const { identity, envelope, keys, caller } = submission
  return {
    id,
    ...identity,
    type: envelope.type,
    status: 'ACTIVITY_STATUS_COMPLETED',
    intent: { [keys.intent]: envelope.parameters },
    result: { [keys.result]: result },
    user_id: caller.userId,
    credential_id: caller.credentialId,
    threshold: 1,
    failure: null,
    result_expires_at: null,
    created_at: caller.at,
    updated_at: caller.at,
  }
}

/** False when the chain's end is elsewhere by now. */
async function insert({ db, macKey }: CustodyContext, row: StoredActivity, entry: LogEntry): Promise<boolean> {
  const { org_id, seq, hash } = entry
  const { rows } = await sql`/* prepared record_activity */
    with moved as (
      insert into activity_log_heads as head (org_id, seq, hash, mac)
      values (${org_id}, ${seq}, ${hash}, ${headMac(macKey, { org_id, seq, hash })})
      on conflict (org_id) do update set seq = excluded.seq, hash = excluded.hash, mac = excluded.mac
        where head.hash = ${entry.previous_hash}
      returning org_id, seq, hash
    ), recorded as (
      insert into activities
        (id, org_id, fingerprint, type, status, intent, result, user_id, credential_id, created_at, updated_at)
      select ${row.id}::uuid, org_id, ${row.fingerprint}, ${row.type}, ${row.status}, ${JSON.stringify(row.intent)}::json,
        ${JSON.stringify(row.result)}::json, ${row.user_id}::uuid, ${row.credential_id}::uuid,
        ${row.created_at}::timestamptz, ${row.updated_at}::timestamptz
      from moved returning id, org_id, type, status, user_id, credential_id, created_at
    )
    insert into activity_log (org_id, seq, activity_id, user_id, credential_id, credential_public_key, type, status, body,
      stamp, logged_at, previous_hash, hash)
    select recorded.org_id, moved.seq, recorded.id, recorded.user_id, recorded.credential_id,
      ${entry.credential_public_key}, recorded.type, recorded.status, ${entry.body}::bytea, ${entry.stamp},
      recorded.created_at, ${entry.previous_hash}::bytea, moved.hash
    from recorded, moved returning 1`.execute(db)
  return rows.length === 1
}

/** SQLSTATE 23505, of the same request or of the same place in the chain. */
function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '23505'
}

function busy(): ServerError {
  return new ServerError('This organization makes too many requests at once. Try again in a moment.', {
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    retryAfterMs: 1_000,
  })
}
