import { Kysely } from 'kysely'
import pg from 'pg'
import { configInvalid, ServerError } from '../errors/ServerError.ts'
import { parseUrl } from '../http/parseUrl.ts'
import { type Logger, silentLogger } from '../observability/logger.ts'
import { databaseTls } from './databaseTls.ts'
import { createDialect } from './namedQuery.ts'
import type { Tables } from './tables.ts'

/** Database handle of queries: the pool, or a transaction. */
export type Db = Kysely<Tables>

export type Store = {
  db: Db
  pool: pg.Pool
  /**
   * Direct PostgreSQL connections for work that needs a session (listening, prepared statements), also if `pool` uses a
   * pooler.
   */
  sessions: pg.Pool
  /** URL of `sessions`. */
  databaseUrl: string
  close(): Promise<void>
}

export declare namespace openStore {
  type Options = {
    databaseUrl: string
    /** PostgreSQL's own address (`host:port`), if `databaseUrl` points to a transaction pooler such as PgBouncer. */
    directHost?: string | undefined
    /** @default 10 */
    maxConnections?: number | undefined
    /**
     * Maximum milliseconds of a statement.
     *
     * @default 15000
     */
    timeoutMs?: number | undefined
    logger?: Logger | undefined
  }
}

/**
 * Opens a pool and checks that the database responds. Uses TLS to other machines, see `databaseTls`. Through a pooler
 * it uses no session features: no named statements, no startup settings.
 *
 * @throws `DATABASE_UNREACHABLE`, `CONFIG_INVALID`.
 */
export async function openStore(options: openStore.Options): Promise<Store> {
  const { directHost, timeoutMs = 15_000 } = options
  const databaseUrl = directHost === undefined ? options.databaseUrl : toDirectUrl(options.databaseUrl, directHost)
  const settings = { statement_timeout: timeoutMs, idle_in_transaction_session_timeout: 30_000 }
  const sessions = openPool(databaseUrl, settings, options)
  const pool = directHost === undefined ? sessions : openPool(options.databaseUrl, {}, options)
  const close = async () => {
    for (const each of new Set([pool, sessions])) await each.end()
  }
  try {
    await probe(sessions, databaseUrl)
    if (pool !== sessions) assertTimeouts(await probe(pool, options.databaseUrl))
  } catch (error) {
    await close()
    throw error
  }
  const db = new Kysely<Tables>({ dialect: createDialect(pool, { isPooled: pool !== sessions }) })
  // `db.destroy()` leaves a pool open that only `pool.query` has used.
  return { db, pool, sessions, databaseUrl, close }
}

function openPool(databaseUrl: string, settings: pg.PoolConfig, options: openStore.Options): pg.Pool {
  const { maxConnections = 10, timeoutMs = 15_000, logger = silentLogger } = options
  const pool = new pg.Pool({
    ...databaseTls(databaseUrl),
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    // Work that repeats every ten to thirty seconds would otherwise reconnect each time, which costs both sides more.
    idleTimeoutMillis: 60_000,
    // Ends the wait for a database that accepts the statement but never responds.
    query_timeout: timeoutMs + 5_000,
    application_name: 'latchkey-server',
    ...settings,
  })
  // Without listeners, a broken connection would end the process. The pool replaces broken connections, but listens
  // only to idle ones; a connection in a transaction may break between two queries.
  pool.on('error', () => logger.warn({}, 'A database connection broke; it is replaced'))
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

type Limits = { name: string; statement: string; idle: string }

async function probe(pool: pg.Pool, databaseUrl: string): Promise<Limits | undefined> {
  try {
    const { rows } = await pool.query<Limits>(
      "select current_user as name, current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle",
    )
    return rows[0]
  } catch (error) {
    throw unreachable(databaseUrl, error)
  }
}

/** Through a pooler, the database user's limits apply. Without them, a lost process would hold its locks forever. */
function assertTimeouts(limits: Limits | undefined): void {
  if (limits?.statement !== '0' && limits?.idle !== '0') return
  const user = `"${limits.name.replaceAll('"', '""')}"`
  throw configInvalid(
    `Connections of a pooler have the time limits of the database's user, and ${limits.name} lacks them: run ` +
      `\`alter role ${user} set statement_timeout = '15s'; alter role ${user} set idle_in_transaction_session_timeout = '30s'\`, ` +
      'then let the pooler connect anew (PgBouncer: RECONNECT).',
  )
}

/**
 * Returns the URL of PostgreSQL itself, with user, database and parameters of its pooler's URL.
 *
 * @throws `CONFIG_INVALID`.
 */
export function toDirectUrl(databaseUrl: string, directHost: string): string {
  const url = parseUrl(databaseUrl)
  const direct = parseUrl(`postgres://${directHost}`)
  if (!url?.hostname || !direct?.hostname || direct.host !== directHost.toLowerCase())
    throw configInvalid(
      'LATCHKEY_DATABASE_DIRECT_HOST is host:port of PostgreSQL, beside a URL that leads to its pooler.',
    )
  url.host = direct.host
  url.port = direct.port || '5432'
  return url.href
}

function unreachable(databaseUrl: string, cause: unknown): ServerError {
  const url = parseUrl(databaseUrl)
  const where = url ? `${url.host}${url.pathname}` : 'the given URL'
  return new ServerError(`PostgreSQL at ${where} ${findReason(cause)}`, {
    code: 'DATABASE_UNREACHABLE',
    status: 503,
    cause,
  })
}

function findReason(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  if (/unsupported startup parameter/.test(String(message)))
    return 'is a pooler: add LATCHKEY_DATABASE_DIRECT_HOST, the host:port of PostgreSQL itself.'
  if (/does not support SSL/.test(String(message)))
    return 'offers no TLS, so nothing is sent to it: turn it on there, or on a network of your own add ?sslmode=disable to DATABASE_URL.'
  if (/CERT|^UNABLE_TO_/.test(String(code)))
    return 'shows a certificate that is not trusted. Add its authority to DATABASE_URL: ?sslmode=verify-full&sslrootcert=FILE.'
  return 'does not answer. Check that it runs and that DATABASE_URL is right.'
}
