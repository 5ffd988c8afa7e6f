import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { activityTypes } from 'latchkey-protocol'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import type { ActivityTable } from '../../platform/database/tables.ts'
import { readCoseKey, verifySignature } from '../../webauthn/coseKey.ts'
import { fingerprint } from '../activities/envelope.ts'
import { isGenuine } from '../macs.ts'
import { verifyLoggedStamp } from '../stamps/verifyStamp.ts'
import { createErasures } from './createErasures.ts'
import { createRemovals } from './createRemovals.ts'
import type { NotedHead } from './heads.ts'
import {
  deleteOrganization,
  entryHash,
  eraseActivities,
  firstHash,
  type LogEntry,
  type LogProblem,
} from './logEntry.ts'

const batchSize = 500

export declare namespace verifyChain {
  /** `heads`: previously recorded heads of the chain. */
  type Parameters = { organizationId: string; heads: readonly NotedHead[] }
  /** `length`: number of valid entries; `erased`: number of entries whose content custody erased. */
  type ReturnType = { length: number; erased: number; bad?: LogProblem }
}

/** Verifies one organization's chain and its activities in the snapshot of `db` (see `verifyLog`). */
export async function verifyChain(
  db: Db,
  macKey: Uint8Array,
  { organizationId, heads }: verifyChain.Parameters,
): Promise<verifyChain.ReturnType> {
  const removals = createRemovals(organizationId)
  const erasures = createErasures()
  let previous: Pick<LogEntry, 'seq' | 'hash'> = { seq: '0', hash: firstHash(organizationId) }
  for (;;) {
    const entries = await readEntries(db, organizationId, previous.seq)
    const activities = await readActivities(db, entries)
    for (const entry of entries) {
      const activity = activities.get(entry.activity_id)
      const problem = checkEntry(previous, entry) ?? checkNoted(heads, entry) ?? checkActivity(macKey, entry, activity)
      if (problem) return { length: Number(previous.seq), erased: 0, bad: { seq: entry.seq, problem } }
      if (activity) removals.add(entry.seq, activity)
      if (activity) erasures.add(entry, activity)
      previous = entry
    }
    if (entries.length < batchSize) break
  }
  const length = Number(previous.seq)
  const bad =
    (await checkEnd(db, macKey, { organizationId, heads, last: previous })) ??
    erasures.findProblem() ??
    (await removals.findRevived(db))
  return { length, erased: erasures.count(), ...(bad && { bad }) }
}

function checkEntry(previous: Pick<LogEntry, 'seq' | 'hash'>, entry: LogEntry): string | undefined {
  if (Number(entry.seq) !== Number(previous.seq) + 1) return `An entry is missing: ${Number(previous.seq) + 1}.`
  if (!isSame(entry.previous_hash, previous.hash)) return 'It is not linked to the entry before it.'
  if (!isSame(entry.hash, entryHash(entry))) return 'It was changed: its hash is another.'
  if (entry.content_digest === null && !isStampGenuine(entry))
    return 'Its stamp was not made over its body by its credential.'
  return undefined
}

/**
 * Activities without a stamp: custody's own, and those authorized by a code alone. Only the chain and the MACs of their
 * rows prove them.
 */
const unstamped: ReadonlySet<string> = new Set([
  activityTypes.otpAuth,
  'ACTIVITY_TYPE_VERIFY_OTP',
  eraseActivities,
  deleteOrganization,
])

/**
 * Returns whether a log entry's credential signed the stamp over the entry's body. Checks only the signature (WebAuthn
 * L3 § 7.2 steps 11 and 21), since origin and counter were checked when the passkey was used. Custody's own activities
 * have no stamp (`unstamped`).
 */
function isStampGenuine(entry: Pick<LogEntry, 'type' | 'body' | 'stamp' | 'credential_public_key'>): boolean {
  if (entry.stamp === '' && unstamped.has(entry.type)) return true
  try {
    const signed = entry.stamp === '' ? readStampedWord(entry) : entry
    const stamp = verifyLoggedStamp(signed.stamp, signed.body)
    if (signed === entry && stamp.text !== entry.stamp) return false
    if (stamp.kind === 'api_key') return stamp.publicKey === entry.credential_public_key
    const { authenticatorData, clientDataJson, signature } = stamp.assertion
    const client: { challenge?: unknown } = JSON.parse(Buffer.from(clientDataJson).toString('utf8'))
    if (client.challenge !== Buffer.from(stamp.challenge).toString('base64url')) return false
    const key = readCoseKey(Buffer.from(entry.credential_public_key, 'hex'))
    const hash = createHash('sha256').update(clientDataJson).digest()
    return key !== undefined && verifySignature(key, Buffer.concat([authenticatorData, hash]), signature)
  } catch {
    return false
  }
}

/** A word that the user stamped, which the signer API sent in the parameters of an unstamped request. */
const wordSchema = z.object({
  type: z.string().endsWith('_BY_WORD'),
  parameters: z.object({
    stampedRequest: z.object({
      body: z.string(),
      stamp: z.object({ stampHeaderName: z.string(), stampHeaderValue: z.string() }),
    }),
  }),
})

function readStampedWord({ body: logged }: Pick<LogEntry, 'body'>): Pick<LogEntry, 'stamp' | 'body'> {
  const { stampedRequest } = wordSchema.parse(JSON.parse(Buffer.from(logged).toString('utf8'))).parameters
  const { stampHeaderName, stampHeaderValue } = stampedRequest.stamp
  return { stamp: `${stampHeaderName}: ${stampHeaderValue}`, body: Buffer.from(stampedRequest.body) }
}

function checkNoted(heads: readonly NotedHead[], { seq, hash }: LogEntry): string | undefined {
  const isNoted = heads.every((head) => head.seq !== seq || isSame(Buffer.from(head.hash, 'hex'), hash))
  return isNoted ? undefined : 'It is another one than when its head was noted: the chain was written anew.'
}

function checkActivity(
  macKey: Uint8Array,
  entry: LogEntry,
  activity: Selectable<ActivityTable> | undefined,
): string | undefined {
  if (!activity) return 'Its activity was removed.'
  const agrees =
    (['org_id', 'user_id', 'credential_id', 'type'] as const).every((column) => activity[column] === entry[column]) &&
    (entry.content_digest !== null || activity.fingerprint === fingerprint(entry.body))
  if (!agrees) return 'Its activity tells something else.'
  return isGenuine(macKey, 'activities', activity)
    ? undefined
    : 'Its activity was changed: custody did not write it so.'
}

type End = verifyChain.Parameters & { last: Pick<LogEntry, 'seq' | 'hash'> }

async function checkEnd(
  db: Db,
  macKey: Uint8Array,
  { organizationId, heads, last }: End,
): Promise<LogProblem | undefined> {
  const head = await db
    .selectFrom('activity_log_heads')
    .selectAll()
    .where('org_id', '=', organizationId)
    .executeTakeFirst()
  if (!head) return { problem: 'The end of the chain is not recorded.' }
  if (!isGenuine(macKey, 'activity_log_heads', head))
    return { problem: 'The recorded end of the chain was not written by custody.' }
  if (head.seq !== last.seq || !isSame(head.hash, last.hash))
    return { seq: head.seq, problem: `The chain ends at ${last.seq}, and should at ${head.seq}.` }
  const later = heads.find(({ seq }) => Number(seq) > Number(last.seq))
  return (
    later && { seq: later.seq, problem: `The chain ends at ${last.seq}, and had ${later.seq} when its head was noted.` }
  )
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

async function readActivities(
  db: Db,
  entries: readonly LogEntry[],
): Promise<ReadonlyMap<string, Selectable<ActivityTable>>> {
  const ids = entries.map((entry) => entry.activity_id)
  const rows = ids.length === 0 ? [] : await db.selectFrom('activities').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
