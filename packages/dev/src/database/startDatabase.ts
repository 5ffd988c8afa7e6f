import { existsSync } from 'node:fs'
import pg from 'pg'
import { DevError } from '../errors.ts'
import { startChild } from '../processes/startChild.ts'
import { clearStaleLock, createCluster } from './cluster.ts'
import { databaseUser } from './databaseUser.ts'
import { dataLocation } from './dataLocation.ts'
import { findBinaries } from './findBinaries.ts'

export declare namespace startDatabase {
  type Parameters = {
    /** Folder of the devnet. Contains the cluster, or a file with its location; see `dataLocation`. */
    dataDir: string
    /** TCP port on 127.0.0.1. */
    port: number
    /** Password of the only role, `latchkey`. */
    password: string
    /** Called once if the server exits without `close()`. */
    onExit?: ((error: DevError) => void) | undefined
    /** PostgreSQL's package and folders for a copy, for tests. */
    binaries?: Pick<findBinaries.Parameters, 'packageDir' | 'copyRoots'> | undefined
    /** Additional server options by name, for tests. They override those of the devnet. */
    settings?: Readonly<Record<string, string>> | undefined
  }
  type ReturnType = {
    /** `postgres://latchkey:…@127.0.0.1:<port>/latchkey`. Contains the password, so do not log it. */
    url: string
    pid: number
    /** Folder of the cluster. */
    data: string
    close(): Promise<void>
  }
}

/**
 * Server options. Loopback TCP only, no Unix socket. With `fsync` and full-page writes, a machine crash cannot corrupt
 * the data; without `synchronous_commit`, it may lose the last fractions of a second. Never use these settings for a
 * server with users' keys.
 */
const ownSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  synchronous_commit: 'off',
  wal_writer_delay: '10ms',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_wal_size: '256MB',
  max_connections: '60',
  shared_buffers: '32MB',
  io_method: 'sync',
  jit: 'off',
  log_min_messages: 'warning',
  log_timezone: 'UTC',
} as const

/** Shutdown signals. SIGINT ends sessions and writes a checkpoint; after SIGQUIT, the next start runs recovery. */
const signals = [
  { signal: 'SIGINT', waitMs: 8_000 },
  { signal: 'SIGQUIT', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
] as const

/**
 * Starts the embedded PostgreSQL and creates the cluster if necessary.
 *
 * @throws `PORT_TAKEN`, `DATABASE_UNREACHABLE` (with its last lines), `CHILD_MISSING`
 *
 * @example
 * ```ts
 * import { freePorts, startDatabase } from 'latchkey-dev/testing'
 *
 * const port = await freePorts(1)
 * const database = await startDatabase({ dataDir: '.latchkey', port, password: 'local' })
 * await database.close()
 * ```
 */
export async function startDatabase(parameters: startDatabase.Parameters): Promise<startDatabase.ReturnType> {
  const { dataDir, port, password, onExit, settings = {} } = parameters
  const user = databaseUser()
  const data = dataLocation({ dataDir, user })
  const binaries = await findBinaries({ user, ...parameters.binaries })
  if (existsSync(data)) await clearStaleLock(data)
  else await createCluster({ initdb: binaries.initdb, data, user, password })

  const options = Object.entries({ ...ownSettings, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = await startWhenFree({
    name: 'PostgreSQL',
    program: binaries.postgres,
    args: ['-D', data, '-p', String(port), ...options],
    port,
    timeoutMs: 30_000,
    user: user && { uid: user.uid, gid: user.gid },
    env: { LANG: 'C', LC_ALL: 'C', TZ: 'UTC' },
    signals,
    onExit,
    isReady: () => connectOnce({ port, password }),
  })
  const url = `postgres://latchkey:${password}@127.0.0.1:${port}/latchkey`
  return { url, pid: server.pid, data, close: server.close }
}

/** Retries while sessions of a killed server are still running, because PostgreSQL does not start until they end. */
async function startWhenFree(parameters: startChild.Parameters): Promise<startChild.ReturnType> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startChild(parameters)
    } catch (error) {
      if (!(error instanceof DevError) || !['CHILD_EXITED', 'TIMEOUT'].includes(error.code)) throw error
      if (attempt === 20 || !error.message.includes('pre-existing shared memory')) {
        throw new DevError(`PostgreSQL did not start on port ${parameters.port}. ${error.message}`, {
          code: 'DATABASE_UNREACHABLE',
          cause: error,
        })
      }
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}

/** Connects, and creates the database `latchkey` if necessary. */
async function connectOnce({ port, password }: { port: number; password: string }): Promise<true | DevError> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'latchkey',
    password,
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rowCount } = await client.query("select from pg_database where datname = 'latchkey'")
    if (rowCount === 0) await client.query('create database latchkey')
    return true
  } catch (cause) {
    // 28P01: invalid_password
    if ((cause as { code?: unknown }).code !== '28P01') throw cause
    return new DevError('The data belong to another devnet: its password is not in secrets.json.', {
      code: 'DATABASE_UNREACHABLE',
      cause,
      hint: 'Delete them with --fresh.',
    })
  } finally {
    await client.end().catch(() => undefined)
  }
}
