import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from './openStore.ts'

export declare namespace takeToken {
  type Parameters = {
    /** What is limited, such as `mail:someone@example.com`. */
    key: string
    limit: number
    windowMs: number
    /**
     * How many are taken, all or none; at most `limit`.
     *
     * @default 1
     */
    count?: number | undefined
    /**
     * Custody's, the gateway's and the admin API's are in tables of their own, which no other role may write.
     *
     * @default 'rate_limits'
     */
    table?: 'rate_limits' | 'custody_limits' | 'gateway_limits' | 'admin_limits' | undefined
  }
  type ReturnType = { ok: true } | { ok: false; retryAfterMs: number }
}

/**
 * Takes one of `limit` tokens that a key has in `windowMs`: all of them at once, then one comes back every
 * `windowMs / limit` (the generic cell rate algorithm of ITU-T I.371). One statement takes it, so the limit holds across
 * copies of the server. Only a digest of the key is stored: the table names no address.
 *
 * Needs the pool, not a transaction: a rollback would return the token.
 */
export async function takeToken(db: Db, token: takeToken.Parameters): Promise<takeToken.ReturnType> {
  const interval = refillInterval(token)
  const table = sql.table(token.table ?? 'rate_limits')
  // A limit that is full needs no row: a new key and a swept one are the same.
  const taken = await sql`
    insert into ${table} as stored (key, free_at)
    values (${digest(token.key)}, clock_timestamp() + ${interval}::interval)
    on conflict (key) do update
      set free_at = greatest(stored.free_at, clock_timestamp()) + ${interval}::interval
      where greatest(stored.free_at, clock_timestamp()) + ${interval}::interval
        <= clock_timestamp() + ${milliseconds(token.windowMs)}::interval
    returning 1`.execute(db)
  if (taken.rows.length > 0) return { ok: true }
  // A second statement: the first sees the row as it was before the transactions it waited for.
  const { rows } = await sql<{ wait_ms: number }>`
    select extract(epoch from free_at + ${interval}::interval - ${milliseconds(token.windowMs)}::interval
      - clock_timestamp())::float8 * 1000 as wait_ms
    from ${table} where key = ${digest(token.key)}`.execute(db)
  return {
    ok: false,
    retryAfterMs: Math.max(1, Math.ceil(rows[0]?.wait_ms ?? ((token.count ?? 1) * token.windowMs) / token.limit)),
  }
}

export declare namespace takeTokens {
  type Options = Omit<takeToken.Parameters, 'key'>
}

/**
 * {@link takeToken} for many keys of one limit, in one statement. Where a key has not enough for all that are asked of
 * it, its tokens are taken one by one. The results are in the order of the keys.
 */
export async function takeTokens(
  db: Db,
  keys: readonly string[],
  options: takeTokens.Options,
): Promise<takeToken.ReturnType[]> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  const fitting = [...counts].filter(([, count]) => count <= options.limit).sort(([a], [b]) => (a < b ? -1 : 1))
  const taken = await takeAtOnce(db, fitting, options)
  const results = new Map<string, takeToken.ReturnType>()
  const all: takeToken.ReturnType[] = []
  for (const key of keys) {
    const before = results.get(key)
    // What was refused once is refused for the rest of them.
    const result = taken.has(digest(key)) ? { ok: true as const } : before?.ok === false ? before : undefined
    all.push(result ?? (await takeToken(db, { ...options, key })))
    results.set(key, all.at(-1) ?? { ok: true })
  }
  return all
}

/** Digests of the keys that had enough. */
async function takeAtOnce(
  db: Db,
  counts: readonly (readonly [key: string, count: number])[],
  options: takeTokens.Options,
): Promise<Set<string>> {
  if (counts.length === 0) return new Set()
  const costs = counts.map(([, count]) => (options.windowMs / options.limit) * count)
  // The statement's own time, so that `excluded` tells the cost. Sorted, so that copies lock in one order.
  const { rows } = await sql<{ key: string }>`
    insert into ${sql.table(options.table ?? 'rate_limits')} as stored (key, free_at)
    select key, statement_timestamp() + cost * interval '1 millisecond'
    from unnest(${counts.map(([key]) => digest(key))}::text[], ${costs}::float8[]) as token (key, cost) order by key
    on conflict (key) do update
      set free_at = greatest(stored.free_at, statement_timestamp()) + (excluded.free_at - statement_timestamp())
      where greatest(stored.free_at, statement_timestamp()) + (excluded.free_at - statement_timestamp())
        <= statement_timestamp() + ${milliseconds(options.windowMs)}::interval
    returning key`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** Returns a token of {@link takeToken} whose use did not happen. */
export async function returnToken(db: Db, token: takeToken.Parameters): Promise<void> {
  await db
    .updateTable(token.table ?? 'rate_limits')
    .set({ free_at: sql`free_at - ${refillInterval(token)}::interval` })
    .where('key', '=', digest(token.key))
    .execute()
}

function refillInterval({ limit, windowMs, count = 1 }: takeToken.Parameters): string {
  return milliseconds((count * windowMs) / limit)
}

function milliseconds(value: number): string {
  return `${value} milliseconds`
}

function digest(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('base64url')
}
