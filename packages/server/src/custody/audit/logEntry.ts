import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { ActivityLogTable } from '../../platform/database/tables.ts'

export type LogEntry = Selectable<ActivityLogTable>
/** Scheme of new entries. */
export const scheme = 3
/** `seq`: number of the invalid entry; missing if the problem is not a single entry. */
export type LogProblem = { seq?: string; problem: string }

/** An activity of custody itself, recorded by `recordOwn`. */
export const eraseActivities = 'ACTIVITY_TYPE_ERASE_ACTIVITIES'
/** Can also be submitted by the server's operator, without a stamp. */
export const deleteOrganization = 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION'

/** Returns the hash that the first entry of an organization's chain links to. */
export function firstHash(orgId: string): Uint8Array {
  return createHash('sha256').update(`latchkey activity log|${orgId}`, 'utf8').digest()
}

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

/**
 * Returns the hashed members that cover an entry's content. From scheme 2, this is a single digest whose salt is erased
 * together with the content, so that guesses at erased content cannot be verified. An intent where the digest covers
 * none becomes a member of its own, so that nobody can add one.
 */
function contentMembers(entry: Omit<LogEntry, 'hash'>): string[] {
  const { scheme, body, stamp, intent, content_digest } = entry
  const uncovered = intent !== '' && (scheme < 3 || content_digest !== null) ? [intent] : []
  if (scheme === 1) return [hex(content_digest ?? sha256(body)), stamp, ...uncovered]
  return [hex(content_digest ?? digestContent(entry)), ...uncovered]
}

function digestContent({ scheme, salt, body, stamp, intent }: Omit<LogEntry, 'hash'>): Uint8Array {
  const covered = scheme === 2 ? [body, stamp] : [body, stamp, intent]
  return sha256(Buffer.concat([salt ?? Buffer.alloc(0), ...covered.map(sha256)]))
}

const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest()

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
