import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { namedQuery } from '../database/namedQuery.ts'
import type { Db } from '../database/openStore.ts'

export declare namespace takeToken {
  type Parameters = {
    /** Key of the limit, such as `mail:someone@example.com`. */
    key: string
    limit: number
    windowMs: number
    /**
     * Number of tokens, all or none; at most `limit`.
     *
     * @default 1
     */
    count?: number | undefined
    /**
     * Table of the limit. Custody, the gateway and the admin API each have a table that no other role may write.
     * @default 'rate_limits'
     */
    table?: 'rate_limits' | 'custody_limits' | 'gateway_limits' | 'admin_limits' | undefined
  }
  type ReturnType = { ok: true } | { ok: false; retryAfterMs: number }
}

/**
 * Takes one of the `limit` tokens that a key has in `windowMs`. All tokens can be used in a burst; then one token
 * refills every `windowMs / limit` (the generic cell rate algorithm of ITU-T I.371). A single statement takes the
 * token, so the limit holds across replicas. Stores only a digest of the key, so the table contains no e-mail address.
 *
 * Needs the pool, not a transaction: a rollback would return the token.
 */
export async function takeToken(db: Db, { table, ...token }: takeToken.Parameters): Promise<takeToken.ReturnType> {
  const [taken] = await takeTokens(db, [token], table)
  return taken ?? { ok: false, retryAfterMs: token.windowMs }
}

export declare namespace takeTokens {
  type Token = Omit<takeToken.Parameters, 'table'>
}

/**
 * Takes tokens of different keys like {@link takeToken}, in one statement. The results have the order of the tokens.
 */
export async function takeTokens(
  db: Db,
  tokens: readonly takeTokens.Token[],
  table: takeToken.Parameters['table'] = 'rate_limits',
): Promise<takeToken.ReturnType[]> {
  const keys = tokens.map(({ key }) => digest(key))
  const costs = tokens.map(({ limit, windowMs, count = 1 }) => (count * windowMs) / limit)
  const windows = tokens.map(({ windowMs }) => windowMs)
  // The statement reads the time only once, so that `excluded.free_at` minus that time is the cost. Its rows are
  // sorted, so that replicas lock them in the same order. A missing row means that all tokens are available.
  const now = sql`(select now from clock)`
  const take = sql<{ key: string }>`
    with token as (
      select * from unnest(${keys}::text[], ${costs}::float8[], ${windows}::float8[]) as token (key, cost_ms, window_ms)
    ), clock as materialized (select latchkey_now() as now)
    insert into ${sql.table(table)} as stored (key, free_at)
    select key, now + cost_ms * interval '1 millisecond' from token, clock order by key
    on conflict (key) do update
      set free_at = greatest(stored.free_at, ${now}) + (excluded.free_at - ${now})
      where greatest(stored.free_at, ${now}) + (excluded.free_at - ${now})
        <= ${now} + (select window_ms from token where token.key = stored.key) * interval '1 millisecond'
    returning key`
  const { rows } = await namedQuery(db, `take_tokens_${table}`, take)
  const taken = new Set(rows.map(({ key }) => key))
  const waits = taken.size < keys.length ? await readWaits(db, keys, table) : new Map<string, number>()
  return tokens.map(({ windowMs }, index) => {
    const key = keys[index] ?? ''
    if (taken.has(key)) return { ok: true }
    const retryAfterMs = (waits.get(key) ?? 0) + (costs[index] ?? 0) - windowMs
    return { ok: false, retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) }
  })
}

/**
 * Returns the wait of each key. Runs as a separate statement, which sees the rows that concurrent transactions wrote
 * while the first statement waited for them.
 */
async function readWaits(
  db: Db,
  keys: readonly string[],
  table: NonNullable<takeToken.Parameters['table']>,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; wait_ms: number }>`
    select key, extract(epoch from free_at - latchkey_now())::float8 * 1000 as wait_ms
    from ${sql.table(table)} where key = any(${keys}::text[])`.execute(db)
  return new Map(rows.map(({ key, wait_ms }) => [key, wait_ms]))
}

/** Returns an unused token of {@link takeToken} to its limit. */
export async function returnToken(db: Db, token: takeToken.Parameters): Promise<void> {
  await db
    .updateTable(token.table ?? 'rate_limits')
    .set({ free_at: sql`free_at - ${refillInterval(token)}::interval` })
    .where('key', '=', digest(token.key))
    .execute()
}

function refillInterval({ limit, windowMs, count = 1 }: takeToken.Parameters): string {
  return `${(count * windowMs) / limit} milliseconds`
}

function digest(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('base64url')
}
