import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { ActivityLogTable } from '../../platform/database/tables.ts'

export type LogEntry = Selectable<ActivityLogTable>
/** How new entries are written. */
export const scheme = 2
/** `seq`: of the entry that is wrong; missing when it is not one entry. */
export type LogProblem = { seq?: string; problem: string }

/** Custody's own activity, recorded by `recordOwn`. */
export const eraseActivities = 'ACTIVITY_TYPE_ERASE_ACTIVITIES'
/** Also by the server's operator, who has no stamp. */
export const deleteOrganization = 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION'

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
    ...contentMembers(entry),
    entry.logged_at,
  ]
  return createHash('sha256').update(JSON.stringify(members), 'utf8').digest()
}

/** In scheme 2 one digest, under a salt that is erased with what it hides: a guess of the content cannot be proven then. */
function contentMembers({ scheme, salt, body, stamp, content_digest }: Omit<LogEntry, 'hash'>): string[] {
  if (scheme === 1) return [hex(content_digest ?? sha256(body)), stamp]
  return [hex(content_digest ?? sha256(Buffer.concat([salt ?? Buffer.alloc(0), sha256(body), sha256(stamp)])))]
}

const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest()

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
