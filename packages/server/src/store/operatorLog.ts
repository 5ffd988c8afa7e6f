import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import type { OperatorLogTable } from '../platform/database/operatorTables.ts'
import { type TimeOrder, toComparison, toDirection } from '../platform/database/timeOrder.ts'
import { isEqualDigest, operatorMac } from './operatorMac.ts'
import type { Operator } from './operators.ts'

/** Arbitrary id of this lock among the database's advisory locks. */
const appendLock = 4_107_340

export type OperatorLogEntry = Omit<Selectable<OperatorLogTable>, 'row_mac'>

export declare namespace appendOperatorLog {
  type Parameters = {
    /** The operators' key. */
    key: Uint8Array
    /** @default Date.now */
    now?: (() => number) | undefined
    operator: Omit<Operator, 'role'> & { role: string }
    /** Name of the call. */
    action: string
    projectId?: string | undefined
    target?: string | undefined
    outcome: OperatorLogEntry['outcome']
    /** Error code of a refusal. */
    code?: string | undefined
    /** State before and after the call; a digest of each is stored. */
    before?: unknown
    after?: unknown
    requestId?: string | undefined
  }
}

/**
 * Appends an operator's action in the action's own transaction, so that nothing changes without a log entry. Each
 * entry's MAC covers the previous entry, so that no entry can be changed, removed or inserted.
 */
export async function appendOperatorLog(db: Db, parameters: appendOperatorLog.Parameters): Promise<void> {
  const { key, now = Date.now, operator, action, projectId, target, outcome, code, requestId } = parameters
  await inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${appendLock})`.execute(trx)
    const last = await readLast(trx)
    const entry: OperatorLogEntry = {
      seq: String(BigInt(last?.seq ?? 0) + 1n),
      at: new Date(now()),
      operator_id: operator.id,
      operator_name: operator.name,
      role: operator.role,
      action,
      project_id: projectId ?? null,
      target: target ?? null,
      outcome,
      code: code ?? null,
      before_digest: digestState(parameters.before),
      after_digest: digestState(parameters.after),
      request_id: requestId ?? null,
    }
    await trx
      .insertInto('operator_log')
      .values({ ...entry, row_mac: entryMac(key, entry, last?.row_mac) })
      .execute()
  })
}

/** Returns the SHA-256 of a state's JSON with sorted names, in hex. Equal digests mean equal states. */
export function digestState(state: unknown): string | null {
  if (state === undefined || state === null) return null
  return createHash('sha256').update(toCanonicalJson(state)).digest('hex')
}

function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

async function readLast(db: Db): Promise<{ seq: string; row_mac: Uint8Array } | undefined> {
  return db.selectFrom('operator_log').select(['seq', 'row_mac']).orderBy('seq', 'desc').limit(1).executeTakeFirst()
}

export declare namespace listOperatorLog {
  type Parameters = {
    projectId?: string | undefined
    operatorId?: string | undefined
    limit: number
    /** @default 'newest' */
    order?: TimeOrder | undefined
    /** Number of the last entry of the previous page. */
    after?: string | undefined
  }
}

export async function listOperatorLog(
  db: Db,
  { projectId, operatorId, limit, order, after }: listOperatorLog.Parameters,
): Promise<OperatorLogEntry[]> {
  let query = db.selectFrom('operator_log').select(columns)
  if (projectId !== undefined) query = query.where('project_id', '=', projectId)
  if (operatorId !== undefined) query = query.where('operator_id', '=', operatorId)
  if (after !== undefined) query = query.where('seq', toComparison(order), after)
  return query.orderBy('seq', toDirection(order)).limit(limit).execute()
}

/** Head of the log, to be stored where database writers cannot change it. `mac` is hex. */
export type OperatorLogHead = { seq: string; mac: string }

/** Returns the head of the log; undefined while it is empty. */
export async function readOperatorLogHead(db: Db): Promise<OperatorLogHead | undefined> {
  const last = await readLast(db)
  return last && { seq: last.seq, mac: Buffer.from(last.row_mac).toString('hex') }
}

export declare namespace verifyOperatorLog {
  type Parameters = {
    key: Uint8Array
    /** Previously recorded heads, which the log must still contain. */
    heads?: readonly OperatorLogHead[] | undefined
  }
  /** `bad`: number of the first entry that was modified or is missing. */
  type ReturnType = { entries: number; bad?: string | undefined }
}

const pageSize = 1_000

export async function verifyOperatorLog(
  db: Db,
  { key, heads = [] }: verifyOperatorLog.Parameters,
): Promise<verifyOperatorLog.ReturnType> {
  const kept = new Map(heads.map(({ seq, mac }) => [seq, mac]))
  let entries = 0
  let previous: Uint8Array | undefined
  for (;;) {
    const rows = await db
      .selectFrom('operator_log')
      .select([...columns, 'row_mac'])
      .where('seq', '>', String(entries))
      .orderBy('seq')
      .limit(pageSize)
      .execute()
    for (const { row_mac: mac, ...entry } of rows) {
      const expected = String(entries + 1)
      const head = kept.get(expected)
      const isKept = head === undefined || isEqualDigest(Buffer.from(head, 'hex'), mac)
      if (entry.seq !== expected || !isKept || !isEqualDigest(entryMac(key, entry, previous), mac))
        return { entries, bad: expected }
      entries++
      previous = mac
    }
    if (rows.length < pageSize) break
  }
  const missing = heads.find(({ seq }) => BigInt(seq) > BigInt(entries))
  return missing ? { entries, bad: String(entries + 1) } : { entries }
}

export declare namespace verifyOperatorLogEnd {
  type Parameters = { key: Uint8Array /** Number of recent entries to verify. */; most: number }
  /** `checkedFrom`: oldest entry checked against its predecessor. `bad` as in {@link verifyOperatorLog}. */
  type ReturnType = { head: OperatorLogHead | null; checkedFrom: string | null; bad: string | null }
}

/** Verifies the newest entries at a constant cost. {@link verifyOperatorLog} verifies older ones. */
export async function verifyOperatorLogEnd(
  db: Db,
  { key, most }: verifyOperatorLogEnd.Parameters,
): Promise<verifyOperatorLogEnd.ReturnType> {
  const newest = await db
    .selectFrom('operator_log')
    .select([...columns, 'row_mac'])
    .orderBy('seq', 'desc')
    .limit(most + 1)
    .execute()
  const [last] = newest
  if (!last) return { head: null, checkedFrom: null, bad: null }
  const head = { seq: last.seq, mac: Buffer.from(last.row_mac).toString('hex') }
  const rows = newest.reverse()
  // The very first entry has no predecessor. Otherwise the oldest row serves only to check the next one.
  const before = rows.length > most ? rows.shift() : undefined
  const checkedFrom = before ? String(BigInt(before.seq) + 1n) : '1'
  let expected = BigInt(checkedFrom)
  let previous = before?.row_mac
  for (const { row_mac: mac, ...entry } of rows) {
    if (entry.seq !== String(expected) || !isEqualDigest(entryMac(key, entry, previous), mac))
      return { head, checkedFrom, bad: String(expected) }
    expected++
    previous = mac
  }
  return { head, checkedFrom, bad: null }
}

const columns = [
  'seq',
  'at',
  'operator_id',
  'operator_name',
  'role',
  'action',
  'project_id',
  'target',
  'outcome',
  'code',
  'before_digest',
  'after_digest',
  'request_id',
] as const

function entryMac(key: Uint8Array, entry: OperatorLogEntry, previous: Uint8Array | undefined): Uint8Array {
  const fields = columns.map((column) => (column === 'at' ? entry.at.getTime() : entry[column]))
  return operatorMac(key, 'latchkey.operator-log.v1', [...fields, Buffer.from(previous ?? []).toString('hex')])
}
