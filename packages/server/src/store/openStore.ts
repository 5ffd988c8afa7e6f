import { Kysely } from 'kysely'
import pg from 'pg'
import { type Logger, silentLogger } from '../http/logger.ts'
import { ServerError } from '../http/ServerError.ts'
import { databaseTls } from './databaseTls.ts'
import { createDialect } from './namedQuery.ts'
import type { Tables } from './tables.ts'

/** What queries take: the pool, or a transaction. */
export type Db = Kysely<Tables>

export type Store = { db: Db; pool: pg.Pool; databaseUrl: string; close(): Promise<void> }

export declare namespace openStore {
  type Options = {
    databaseUrl: string
    /** @default 10 */
    maxConnections?: number | undefined
    /**
     * How long a statement may take.
     *
     * @default 15000
     */
    timeoutMs?: number | undefined
    logger?: Logger | undefined
  }
}

/**
 * Opens a pool and checks that the database responds. Off this machine it is reached by TLS, see `databaseTls`.
 *
 * @throws `DATABASE_UNREACHABLE`, `CONFIG_INVALID`.
 */
export async function openStore(options: openStore.Options): Promise<Store> {
  const { databaseUrl, maxConnections = 10, timeoutMs = 15_000, logger = silentLogger } = options
  const pool = new pg.Pool({
    ...databaseTls(databaseUrl),
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    statement_timeout: timeoutMs,
    // For a database that takes the statement and never responds.
    query_timeout: timeoutMs + 5_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: 'latchkey-server',
  })
  // Without listeners a connection that breaks would end the process; the pool replaces it by itself. The pool listens
  // to idle connections only, and one in a transaction may break between two queries.
  pool.on('error', () => logger.warn({}, 'A database connection broke; it is replaced'))
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw unreachable(databaseUrl, error)
  }
  const db = new Kysely<Tables>({ dialect: createDialect(pool) })
  // Not `db.destroy()`, which leaves a pool open that only `pool.query` has used.
  return { db, pool, databaseUrl, close: () => pool.end() }
}

function unreachable(databaseUrl: string, cause: unknown): ServerError {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  const where = url ? `${url.host}${url.pathname}` : 'the given URL'
  return new ServerError(`PostgreSQL at ${where} ${findReason(cause)}`, {
    code: 'DATABASE_UNREACHABLE',
    status: 503,
    cause,
  })
}

function findReason(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  if (/does not support SSL/.test(String(message)))
    return 'offers no TLS, so nothing is sent to it: turn it on there, or on a network of your own add ?sslmode=disable to DATABASE_URL.'
  if (/CERT|^UNABLE_TO_/.test(String(code)))
    return 'shows a certificate that is not trusted. Add its authority to DATABASE_URL: ?sslmode=verify-full&sslrootcert=FILE.'
  return 'does not answer. Check that it runs and that DATABASE_URL is right.'
}
