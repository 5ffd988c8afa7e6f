import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
} from 'kysely'
import type pg from 'pg'
import { isReadOnly } from '../errors/databaseErrors.ts'
import { ServerError } from '../errors/ServerError.ts'
import { inSpan, type SpanAttributes } from '../observability/tracing.ts'
import type { Tables } from './tables.ts'

type NamedQuery<row = unknown> = CompiledQuery<row> & { name?: string | undefined }

/**
 * Runs a query as a named prepared statement, which each connection parses and plans once: for queries that run on
 * every signed request. Use a name for one statement only. List columns one by one, since a plan for `*` breaks when a
 * migration adds a column.
 */
export function namedQuery<row>(db: Kysely<Tables>, name: string, query: RawBuilder<row>): Promise<QueryResult<row>> {
  const named: NamedQuery<row> = { ...query.compile(db), name }
  return db.executeQuery(named)
}

/**
 * Returns Kysely's dialect for PostgreSQL. Its connections pass the name of a {@link namedQuery} to `pg`, except with
 * `isPooled`: a pooler uses another session for each transaction, which lacks the prepared statement.
 */
export function createDialect(pool: pg.Pool, { isPooled = false } = {}): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new Driver(pool, isPooled),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class Driver extends PostgresDriver {
  readonly #pool: pg.Pool
  readonly #isPooled: boolean

  constructor(pool: pg.Pool, isPooled: boolean) {
    super({ pool })
    this.#pool = pool
    this.#isPooled = isPooled
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(await this.#pool.connect(), this.#isPooled)
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof Connection) connection.release()
  }
}

class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient
  readonly #isPooled: boolean
  #isStale = false

  constructor(client: pg.PoolClient, isPooled: boolean) {
    this.client = client
    this.#isPooled = isPooled
  }

  async executeQuery<row>({ name, sql, parameters }: NamedQuery): Promise<QueryResult<row>> {
    const values = [...parameters]
    const query = name === undefined || this.#isPooled ? { text: sql, values } : { name, text: sql, values }
    const span = { kind: 'CLIENT', isPart: true, attributes: () => describe(sql) } as const
    const { command, rowCount, rows } = await inSpan('postgresql', span, () => this.client.query(query)).catch(
      (error: unknown) => {
        this.#isStale ||= isReadOnly(error)
        throw error
      },
    )
    const isWrite = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command)
    return { rows, ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  /** Drops connections to a replaced server; a new connection may reach its successor. */
  release(): void {
    this.client.release(this.#isStale)
  }

  streamQuery(): never {
    throw new ServerError('The store does not stream rows.', { code: 'INTERNAL', status: 500 })
  }
}

/** Describes a statement in a trace by its first word, since its text may contain the caller's data. */
function describe(text: string): SpanAttributes {
  const [operation = ''] = /[a-z]+/i.exec(text) ?? []
  return { 'db.system.name': 'postgresql', 'db.operation.name': operation.toUpperCase() }
}
