import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeData } from '../../../dev/src/database/dataLocation.ts'
import { startDatabase } from '../../../dev/src/database/startDatabase.ts'
import { freePorts } from '../../../dev/src/world/freePorts.ts'
import { applyGrants, type DatabaseRole, databaseRoles } from '../../../server/src/platform/database/grants.ts'
import { migrate } from '../../../server/src/platform/database/migrate.ts'
import { openStore } from '../../../server/src/platform/database/openStore.ts'
import { prepareDebianPostgres } from './debianPostgres.ts'

/** A PostgreSQL of its own, on a free port in a folder that `close` removes. */
export type DatabaseServer = { url: string; close(): Promise<void> }

/** Database that holds the schema and nothing else; others are made of it. */
export const migratedTemplate = 'migrated'

/** Variable that names the run's server: a URL, set during a run. */
export const serverVariable = 'LATCHKEY_TEST_DATABASE_SERVER'

/** Variable that says whose PostgreSQL: `debian`, or else the embedded one. */
const postgresVariable = 'LATCHKEY_TEST_POSTGRES'

/**
 * Tests read what a server returns, not whether its files survive a crash of the machine. Statistics are those that a test has
 * made: others, at a moment of the server's own, would change the plans that it looks at.
 */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300', autovacuum: 'off' }

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-database-'))
  // Under root the database runs as another user, who must be able to pass.
  await chmod(folder, 0o711)
  async function forget(): Promise<void> {
    removeData(folder)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const { url, close } = await start(folder)
    return {
      url,
      async close() {
        await close()
        await forget()
      },
    }
  } catch (error) {
    await forget()
    throw error
  }
}

/** A port found free may be taken before it is used: three attempts. */
async function start(dataDir: string): Promise<DatabaseServer> {
  const password = randomBytes(12).toString('hex')
  const startOn = process.env[postgresVariable] === 'debian' ? startDebian : startDatabase
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn({ dataDir, port: await freePorts(1), password, settings })
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function startDebian({ dataDir, port, password }: startDatabase.Parameters): Promise<DatabaseServer> {
  const debian = await prepareDebianPostgres(dataDir, password)
  const data = join(debian.home, 'cluster')
  await debian.create(data)
  const { close } = await debian.start(data, port, { ...settings, jit: 'off' })
  await debian.query(port, 'create database latchkey', 'postgres')
  console.info(`Tests run on Debian's PostgreSQL ${debian.version}.`)
  return { url: `postgres://latchkey:${password}@127.0.0.1:${port}/latchkey`, close }
}

/**
 * One server for a whole run of tests: `initdb`, start and schema cost more than most files that need a database. The
 * first that asks has it started, so that a run without a database pays nothing. It ends with the run, also when the
 * run is killed.
 */
export default async function setup(): Promise<() => Promise<void>> {
  let running: Promise<DatabaseServer> | undefined
  const broker = createServer(async (_, response) => {
    try {
      running ??= startWithTemplate()
      response.end((await running).url)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve))
  process.env[serverVariable] = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`
  return async () => {
    delete process.env[serverVariable]
    broker.closeAllConnections()
    broker.close()
    await (await running?.catch(() => undefined))?.close()
  }
}

async function startWithTemplate(): Promise<DatabaseServer> {
  const server = await startDatabaseServer()
  try {
    await administer(server.url, `create database ${migratedTemplate}`)
    const template = databaseUrl(server.url, migratedTemplate)
    await migrate({ databaseUrl: template })
    await grantAll(template)
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

/** The same server's URL of another database. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Lets every role of the server sign in to a migrated database, with the password of its owner. */
export async function grantAll(url: string): Promise<void> {
  const password = decodeURIComponent(new URL(url).password)
  const roles = Object.keys(databaseRoles)
  await applyGrants({ databaseUrl: url, passwords: Object.fromEntries(roles.map((role) => [role, password])) })
}

/** The URL of a database for a role of the server, see {@link grantAll}. */
export function asRole(url: string, role: DatabaseRole): string {
  const own = new URL(url)
  own.username = databaseRoles[role]
  return own.href
}

/** Runs one statement in the server's first database. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  // The server copies a database while all other files ask for theirs.
  const store = await openStore({ databaseUrl: serverUrl, maxConnections: 1, timeoutMs: 120_000 })
  try {
    await store.pool.query(statement)
  } finally {
    await store.close()
  }
}
