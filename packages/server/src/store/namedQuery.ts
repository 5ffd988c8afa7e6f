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
import { ServerError } from '../http/ServerError.ts'
import type { Tables } from './tables.ts'

type NamedQuery<row = unknown> = CompiledQuery<row> & { name?: string | undefined }

/**
 * Runs a query as a named prepared statement, which each connection parses and plans once: for the queries of every
 * signed request. A name always stands for the same text, and its columns are named one by one, since a plan for `*`
 * breaks when a migration adds a column.
 */
export function namedQuery<row>(db: Kysely<Tables>, name: string, query: RawBuilder<row>): Promise<QueryResult<row>> {
  const named: NamedQuery<row> = { ...query.compile(db), name }
  return db.executeQuery(named)
}

/** Kysely's dialect for PostgreSQL, with connections that pass the name of a {@link namedQuery} on to `pg`. */
export function createDialect(pool: pg.Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new Driver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class Driver extends PostgresDriver {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new Connection(await this.#pool.connect())
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof Connection) connection.client.release()
  }
}

class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient

  constructor(client: pg.PoolClient) {
    this.client = client
  }

  async executeQuery<row>({ name, sql, parameters }: NamedQuery): Promise<QueryResult<row>> {
    const values = [...parameters]
    const { command, rowCount, rows } = await (name === undefined
      ? this.client.query(sql, values)
      : this.client.query({ name, text: sql, values }))
    const isWrite = /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command)
    return { rows, ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  streamQuery(): never {
    throw new ServerError('The store does not stream rows.', { code: 'INTERNAL', status: 500 })
  }
}
