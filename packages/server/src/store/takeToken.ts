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
     * Custody's are in a table of their own, which no other role may write.
     *
     * @default 'rate_limits'
     */
    table?: 'rate_limits' | 'custody_limits' | undefined
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
  return { ok: false, retryAfterMs: Math.max(1, Math.ceil(rows[0]?.wait_ms ?? token.windowMs / token.limit)) }
}

/** Returns a token of {@link takeToken} whose use did not happen. */
export async function returnToken(db: Db, token: takeToken.Parameters): Promise<void> {
  await db
    .updateTable(token.table ?? 'rate_limits')
    .set({ free_at: sql`free_at - ${refillInterval(token)}::interval` })
    .where('key', '=', digest(token.key))
    .execute()
}

function refillInterval({ limit, windowMs }: takeToken.Parameters): string {
  return milliseconds(windowMs / limit)
}

function milliseconds(value: number): string {
  return `${value} milliseconds`
}

function digest(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('base64url')
}
