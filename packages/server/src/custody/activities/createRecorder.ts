import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { isConflict } from '../../platform/errors/databaseErrors.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { type appendLog, type Head, linkEntry, readHeads } from '../audit/appendLog.ts'
import type { LogEntry } from '../audit/logEntry.ts'
import { tooManyAtOnce } from '../custodyError.ts'
import { mac } from '../macs.ts'
import { findStored, type StoredActivity } from './storedActivity.ts'

/** A finished activity and its authorization. */
type Finished = { row: StoredActivity; content: appendLog.Content }

/**
 * Writes a finished activity and its log entry atomically. If a duplicate was written first, returns the stored
 * activity.
 */
export type Recorder = (finished: Finished) => Promise<StoredActivity>

type Context = { db: Db; macKey: Uint8Array }
type Pending = Finished & { tries: number; resolve(row: StoredActivity): void; reject(error: unknown): void }
type Linked = { entries: Map<Pending, LogEntry>; before: Map<string, Head>; after: Map<string, Head> }
/**
 * Chain heads by organization, as last written by this process. If another replica has advanced a head since, the next
 * write detects it.
 */
type Chains = Context & { known: Map<string, Head> }

const maxBatch = 64
/** Maximum number of tries, since another replica may advance the same chain first. */
const maxTries = 20
const maxKnown = 10_000

/**
 * Creates a recorder. While a write is running, it collects new activities, and then writes them with one statement and
 * one commit. Links activities of one organization within the batch.
 */
export function createRecorder(context: Context): Recorder {
  const chains = { ...context, known: new Map<string, Head>() }
  const queue: Pending[] = []
  let isBusy = false

  async function drain(): Promise<void> {
    isBusy = true
    while (queue.length > 0) {
      // Activities that finish in the same turn of the event loop share one statement.
      await setImmediate()
      const moved = await writeBatch(chains, queue.splice(0, maxBatch))
      queue.unshift(...moved)
    }
    isBusy = false
  }

  return (finished) =>
    new Promise((resolve, reject) => {
      queue.push({ ...finished, tries: 0, resolve, reject })
      if (!isBusy) void drain()
    })
}

/**
 * Writes a batch and resolves its callers. Returns the activities to retry because another replica advanced their
 * chain.
 */
async function writeBatch(chains: Chains, batch: readonly Pending[]): Promise<Pending[]> {
  try {
    const linked = await link(chains, batch)
    const written = await insert(chains, linked)
    remember(chains, linked, written)
    const late: Pending[] = []
    for (const pending of linked.entries.keys()) {
      if (written.has(pending.row.org_id)) pending.resolve(pending.row)
      else if (++pending.tries < maxTries) late.push(pending)
      else pending.reject(tooManyAtOnce())
    }
    return late
  } catch (error) {
    for (const { row } of batch) chains.known.delete(row.org_id)
    const [first, ...others] = batch
    if (!first) return []
    if (others.length === 0) return settleAlone(chains, first, error)
    // Retries each activity separately: one of them made the statement fail, for example a duplicate.
    const late: Pending[] = []
    for (const pending of batch) late.push(...(await writeBatch(chains, [pending])))
    return late
  }
}

async function settleAlone(context: Context, pending: Pending, error: unknown): Promise<Pending[]> {
  try {
    // SQLSTATE 23505: the same request was recorded, or the same chain position was taken.
    const isDuplicate = (error as { code?: unknown } | null)?.code === '23505'
    const stored = isDuplicate ? await findStored(context, context.db, pending.row) : undefined
    if (stored) pending.resolve(stored)
    else if (isConflict(error) && ++pending.tries < maxTries) return [pending]
    else pending.reject(error)
  } catch (failure) {
    pending.reject(failure)
  }
  return []
}

function remember({ known }: Chains, { after }: Linked, written: ReadonlySet<string>): void {
  if (known.size > maxKnown) known.clear()
  for (const [orgId, head] of after)
    if (written.has(orgId)) known.set(orgId, head)
    else known.delete(orgId)
}

async function link(chains: Chains, batch: readonly Pending[]): Promise<Linked> {
  const orgIds = [...new Set(batch.map(({ row }) => row.org_id))]
  const unknown = orgIds.filter((orgId) => !chains.known.has(orgId))
  const read = unknown.length > 0 ? await readHeads(chains, chains.db, unknown) : new Map<string, Head>()
  const linked: Linked = { entries: new Map(), before: new Map(), after: new Map() }
  const ends = new Map<string, LogEntry>()
  for (const pending of batch) {
    const { org_id } = pending.row
    const head = chains.known.get(org_id) ?? read.get(org_id)
    if (!head) throw new ServerError('A log has no end.', { code: 'INTERNAL', status: 500 })
    const entry = linkEntry(pending.content, ends.get(org_id) ?? head)
    linked.entries.set(pending, entry)
    linked.before.set(org_id, head)
    ends.set(org_id, entry)
  }
  for (const [org_id, { seq, hash }] of ends)
    linked.after.set(org_id, {
      org_id,
      seq,
      hash,
      mac: mac(chains.macKey, 'activity_log_heads', { org_id, seq, hash }),
    })
  return linked
}

/** Writes the entries of organizations whose chain head is unchanged, and returns the written organizations. */
async function insert({ db, macKey }: Context, { entries, before, after }: Linked): Promise<Set<string>> {
  const activities = [...entries].map(([{ row, content }, entry]) => ({ row, content, entry }))
  const heads = [...after.values()].map((head) => ({ ...head, before: before.get(head.org_id) }))
  const list = <value>(read: (activity: (typeof activities)[number]) => value) => activities.map(read)
  const query = sql<{ org_id: string }>`
    with head as (
      select * from unnest(${heads.map((head) => head.org_id)}::uuid[], ${heads.map((head) => head.seq)}::bigint[],
        ${heads.map((head) => head.hash)}::bytea[], ${heads.map((head) => head.mac)}::bytea[],
        ${heads.map((head) => head.before?.seq)}::bigint[], ${heads.map((head) => head.before?.hash)}::bytea[],
        ${heads.map((head) => head.before?.mac)}::bytea[])
        as head (org_id, seq, hash, mac, before_seq, before_hash, before_mac)
    ), moved as (
      insert into activity_log_heads as stored (org_id, seq, hash, mac)
      select org_id, seq, hash, mac from head order by org_id
      on conflict (org_id) do update set seq = excluded.seq, hash = excluded.hash, mac = excluded.mac
        where (stored.seq, stored.hash, stored.mac) =
          (select before_seq, before_hash, before_mac from head where head.org_id = stored.org_id)
      returning org_id
    ), entry as (
      select entry.* from unnest(
        ${list(({ row }) => row.id)}::uuid[], ${list(({ row }) => row.org_id)}::uuid[],
        ${list(({ row }) => row.fingerprint)}::text[], ${list(({ row }) => row.type)}::text[],
        ${list(({ row }) => row.status)}::text[], ${list(({ row }) => JSON.stringify(row.intent))}::text[],
        ${list(({ row }) => JSON.stringify(row.result))}::text[], ${list(({ row }) => row.user_id)}::uuid[],
        ${list(({ row }) => row.credential_id)}::uuid[], ${list(({ row }) => row.created_at)}::timestamptz[],
        ${list(({ row }) => mac(macKey, 'activities', row))}::bytea[],
        ${list(({ content }) => content.credential_public_key)}::text[], ${list(({ content }) => content.body)}::bytea[],
        ${list(({ content }) => content.stamp)}::text[], ${list(({ entry }) => entry.seq)}::bigint[],
        ${list(({ entry }) => entry.previous_hash)}::bytea[], ${list(({ entry }) => entry.hash)}::bytea[],
        ${list(({ entry }) => entry.scheme)}::smallint[], ${list(({ entry }) => entry.salt)}::bytea[],
        ${list(({ entry }) => entry.intent)}::text[]
      ) as entry (id, org_id, fingerprint, type, status, intent, result, user_id, credential_id, at, mac, public_key, body,
        stamp, seq, previous_hash, hash, scheme, salt, logged_intent)
      join moved on moved.org_id = entry.org_id
    ), recorded as (
      insert into activities
        (id, org_id, fingerprint, type, status, intent, result, user_id, credential_id, mac, created_at, updated_at)
      select id, org_id, fingerprint, type, status, intent::json, result::json, user_id, credential_id, mac, at, at
      from entry
    ), logged as (
      insert into activity_log (org_id, seq, activity_id, user_id, credential_id, credential_public_key, type, status,
        body, stamp, logged_at, previous_hash, hash, scheme, salt, intent)
      select org_id, seq, id, user_id, credential_id, public_key, type, status, body, stamp, at, previous_hash, hash, scheme,
        salt, logged_intent
      from entry
    )
    select org_id from moved`
  const { rows } = await namedQuery(db, 'record_activities', query)
  return new Set(rows.map((row) => row.org_id))
}
