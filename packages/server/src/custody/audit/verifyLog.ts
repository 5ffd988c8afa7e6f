import { sql } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import { isSameMac } from '../rowMac.ts'
import { entryHash, firstHash, headMac, type LogEntry } from './logEntry.ts'
import { isStampGenuine } from './verifyStoredStamp.ts'

const batchSize = 500

export declare namespace verifyLog {
  /** `seq` is missing when it is not one entry that is wrong. */
  type Bad = { organizationId: string; seq?: string; problem: string }
  type ReturnType = { organizations: number; entries: number; bad?: Bad }
}

/**
 * Proves the activity log: every organization's chain from its first entry to its end, the end against custody's MAC,
 * each stamp against its body, and that log and activities name each other. Stops at the first row that is wrong.
 */
export async function verifyLog(db: Db, macKey: Uint8Array): Promise<verifyLog.ReturnType> {
  const organizations = await listOrganizations(db)
  let entries = 0
  for (const [index, organizationId] of organizations.entries()) {
    const { length, bad } = await verifyChain(db, macKey, organizationId)
    entries += length
    if (bad) return { organizations: index, entries, bad: { organizationId, ...bad } }
  }
  const bad = await findStray(db)
  return { organizations: organizations.length, entries, ...(bad && { bad }) }
}

type Chain = { length: number; bad?: { seq?: string; problem: string } }

async function verifyChain(db: Db, macKey: Uint8Array, orgId: string): Promise<Chain> {
  let previous: Pick<LogEntry, 'seq' | 'hash'> = { seq: '0', hash: firstHash(orgId) }
  for (;;) {
    const entries = await readEntries(db, orgId, previous.seq)
    for (const entry of entries) {
      const problem = checkEntry(previous, entry)
      if (problem) return { length: Number(previous.seq), bad: { seq: entry.seq, problem } }
      previous = entry
    }
    if (entries.length < batchSize) break
  }
  const length = Number(previous.seq)
  const head = await db.selectFrom('activity_log_heads').selectAll().where('org_id', '=', orgId).executeTakeFirst()
  if (!head) return { length, bad: { problem: 'The end of the chain is not recorded.' } }
  if (!isSameMac(headMac(macKey, head), head.mac))
    return { length, bad: { problem: 'The recorded end of the chain was not written by custody.' } }
  if (head.seq === previous.seq && isSame(head.hash, previous.hash)) return { length }
  return { length, bad: { seq: head.seq, problem: `The chain ends at ${length}, and should at ${head.seq}.` } }
}

function checkEntry(previous: Pick<LogEntry, 'seq' | 'hash'>, entry: LogEntry): string | undefined {
  if (Number(entry.seq) !== Number(previous.seq) + 1) return `An entry is missing: ${Number(previous.seq) + 1}.`
  if (!isSame(entry.previous_hash, previous.hash)) return 'It is not linked to the entry before it.'
  if (!isSame(entry.hash, entryHash(entry))) return 'It was changed: its hash is another.'
  if (!isStampGenuine(entry)) return 'Its stamp was not made over its body by its credential.'
  return undefined
}

function readEntries(db: Db, orgId: string, after: string): Promise<LogEntry[]> {
  return db
    .selectFrom('activity_log')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(batchSize)
    .execute()
}

/** Of the log and of its ends, so that a chain that was removed as a whole is missed. */
async function listOrganizations(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('activity_log')
    .select('org_id')
    .union(db.selectFrom('activity_log_heads').select('org_id'))
    .orderBy('org_id')
    .execute()
  return rows.map((row) => row.org_id)
}

async function findStray(db: Db): Promise<verifyLog.Bad | undefined> {
  const unlogged = await db
    .selectFrom('activities')
    .leftJoin('activity_log', 'activity_log.activity_id', 'activities.id')
    .select(['activities.id', 'activities.org_id'])
    .where('activity_log.activity_id', 'is', null)
    .orderBy('activities.created_at')
    .executeTakeFirst()
  if (unlogged)
    return {
      organizationId: unlogged.org_id,
      problem: `The activity ${unlogged.id} was never authorised: it is not in the log.`,
    }
  const removed = await db
    .selectFrom('activity_log')
    .leftJoin('activities', 'activities.id', 'activity_log.activity_id')
    .select(['activity_log.org_id', 'activity_log.seq'])
    .where('activities.id', 'is', null)
    .orderBy('activity_log.logged_at')
    .executeTakeFirst()
  if (removed) return { organizationId: removed.org_id, seq: removed.seq, problem: 'Its activity was removed.' }
  const { rows } = await sql<{ org_id: string; seq: string }>`
    select log.org_id, log.seq from activity_log log join activities activity on activity.id = log.activity_id
    where (activity.org_id, activity.user_id, activity.credential_id, activity.type, activity.fingerprint)
      is distinct from (log.org_id, log.user_id, log.credential_id, log.type, 'sha256:' || encode(sha256(log.body), 'hex'))
    order by log.logged_at limit 1`.execute(db)
  const [changed] = rows
  return changed && { organizationId: changed.org_id, seq: changed.seq, problem: 'Its activity tells something else.' }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
