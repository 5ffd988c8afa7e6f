import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import pg from 'pg'
import { endWithUs } from '../endWithUs.ts'
import { DevError } from '../errors.ts'
import { stopProcess } from '../stopProcess.ts'
import { clearStaleLock } from './clearStaleLock.ts'
import { createCluster } from './createCluster.ts'
import { databaseUser } from './databaseUser.ts'
import { dataLocation } from './dataLocation.ts'
import { findBinaries } from './findBinaries.ts'

export declare namespace startDatabase {
  type Parameters = {
    /** The world's folder; the cluster lies in it, or elsewhere with a note in it, see `dataLocation`. */
    dataDir: string
    /** TCP port on 127.0.0.1. */
    port: number
    /** Password of the only role, `latchkey`. */
    password: string
    /** Called once when the server ends without `close()`. */
    onExit?: ((error: DevError) => void) | undefined
    /** PostgreSQL's package folder and copy places, for tests. */
    binaries?: Pick<findBinaries.Parameters, 'packageDir' | 'copyRoots'> | undefined
    /** Options of the server that go before our own, by name, for tests. */
    settings?: Readonly<Record<string, string>> | undefined
  }
  type ReturnType = {
    /** `postgres://latchkey:…@127.0.0.1:<port>/latchkey`. Holds the password: keep it out of logs. */
    url: string
    pid: number
    /** Where the cluster lies. */
    data: string
    close(): Promise<void>
  }
}

/**
 * Options of the server. Loopback TCP only, no Unix socket. `fsync` and full-page writes stay on, so a crash of the
 * machine cannot corrupt a world that is resumed; `synchronous_commit` is off, so it may forget the last fractions of a
 * second. That is a fair price on a laptop and no server of users' keys should copy it.
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

/** Starts the embedded PostgreSQL, creating the cluster the first time. Throws a `DevError` with its last words. */
export async function startDatabase(parameters: startDatabase.Parameters): Promise<startDatabase.ReturnType> {
  const { dataDir, port, password, onExit, settings = {} } = parameters
  const user = databaseUser()
  const data = dataLocation({ dataDir, user })
  const binaries = await findBinaries({ user, ...parameters.binaries })
  if (existsSync(data)) await clearStaleLock(data)
  else await createCluster({ initdb: binaries.initdb, data, user, password })

  const server = await launchWhenFree({ postgres: binaries.postgres, data, port, password, user, settings })
  void server.ended.then(() => {
    if (server.isClosing()) return
    onExit?.(
      new DevError(`PostgreSQL ended by itself (${endOf(server.child)}). It said:\n${server.words()}`, {
        code: 'CHILD_EXITED',
      }),
    )
  })
  const url = `postgres://latchkey:${password}@127.0.0.1:${port}/latchkey`
  return { url, pid: server.child.pid ?? 0, data, close: server.close }
}

type LaunchOptions = {
  postgres: string
  data: string
  port: number
  password: string
  user: databaseUser.ReturnType | undefined
  settings: Readonly<Record<string, string>>
}
type Server = {
  child: ChildProcess
  ended: Promise<void>
  words(): string
  isClosing(): boolean
  close(): Promise<void>
}

/** Sessions of a killed server outlive it for a moment; PostgreSQL will not start beside them. */
async function launchWhenFree(options: LaunchOptions): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = launch(options)
    try {
      await waitUntilReady({ port: options.port, password: options.password, ended: server.ended })
      return server
    } catch (cause) {
      await server.close()
      const words = server.words()
      if (attempt < 20 && words.includes('pre-existing shared memory')) {
        await new Promise((resolve) => setTimeout(resolve, 250))
        continue
      }
      throw new DevError(`PostgreSQL did not start on port ${options.port}. It said:\n${words || '(nothing)'}`, {
        code: 'DATABASE_UNREACHABLE',
        cause,
        hint: hintFor(cause),
      })
    }
  }
}

function launch({ postgres, data, port, user, settings }: LaunchOptions): Server {
  const options = Object.entries({ ...ownSettings, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(postgres, ['-D', data, '-p', String(port), ...options], {
    cwd: '/',
    env: { LANG: 'C', LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its own group: Ctrl-C in the terminal reaches only us, and we end it in order.
    detached: process.platform !== 'win32',
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
  })
  let text = ''
  child.stderr?.setEncoding('utf8')
  child.stderr?.on('data', (chunk: string) => {
    text = (text + chunk).slice(-4_000)
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  if (child.pid !== undefined) void ended.then(endWithUs(child.pid, 'SIGINT'))
  let closing = false
  async function close(): Promise<void> {
    closing = true
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    // SIGINT ends sessions and writes a checkpoint; SIGQUIT leaves recovery to the next start.
    const signals = [
      { signal: 'SIGINT', waitMs: 8_000 },
      { signal: 'SIGQUIT', waitMs: 2_000 },
      { signal: 'SIGKILL', waitMs: 1_000 },
    ] as const
    await stopProcess({ pid: child.pid, signals })
    await ended
  }
  return { child, ended, words: () => text.trim(), isClosing: () => closing, close }
}

function endOf(child: ChildProcess): string {
  return child.signalCode ? `signal ${child.signalCode}` : `exit code ${child.exitCode}`
}

function hintFor(cause: unknown): string | undefined {
  // 28P01: invalid_password
  if ((cause as { code?: unknown } | null)?.code === '28P01')
    return 'The data are of another world: its password is not in secrets.json. Forget them with --fresh.'
  return undefined
}

/** Polls with a real connection, and makes the database `latchkey` on the first one. */
async function waitUntilReady(options: { port: number; password: string; ended: Promise<void> }): Promise<void> {
  const { port, password } = options
  let ended = false
  void options.ended.then(() => {
    ended = true
  })
  const deadline = Date.now() + 30_000
  let failure: unknown
  while (Date.now() < deadline && !ended) {
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
      return
    } catch (error) {
      failure = error
      if ((error as { code?: unknown }).code === '28P01') break
    } finally {
      await client.end().catch(() => undefined)
    }
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  throw failure ?? new DevError('PostgreSQL gave no answer within 30 s.', { code: 'TIMEOUT' })
}
