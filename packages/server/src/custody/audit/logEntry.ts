import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { ActivityLogTable } from '../../store/tables.ts'

export type LogEntry = Selectable<ActivityLogTable>
/** `seq`: of the entry that is wrong; missing when it is not one entry. */
export type LogProblem = { seq?: string; problem: string }

/** What the first entry of an organization's chain is linked to. */
export function firstHash(orgId: string): Uint8Array {
  return createHash('sha256').update(`latchkey activity log|${orgId}`, 'utf8').digest()
}

/** SHA-256 over everything an entry says and the hash of the entry before it. */
export function entryHash(entry: Omit<LogEntry, 'hash'>): Uint8Array {
  const members = [
    hex(entry.previous_hash),
    entry.org_id,
    String(entry.seq),
    entry.activity_id,
    entry.user_id,
    entry.credential_id,
    entry.credential_public_key,
    entry.type,
    entry.status,
    createHash('sha256').update(entry.body).digest('hex'),
    entry.stamp,
    entry.logged_at,
  ]
  return createHash('sha256').update(JSON.stringify(members), 'utf8').digest()
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
