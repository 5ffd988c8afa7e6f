import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeData } from '../../../dev/src/database/dataLocation.ts'
import { startDatabase } from '../../../dev/src/database/startDatabase.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { applyGrants, type DatabaseRole, databaseRoles } from '../../../server/src/platform/database/grants.ts'
import { migrate } from '../../../server/src/platform/database/migrate.ts'
import { openStore } from '../../../server/src/platform/database/openStore.ts'
import { prepareDebianPostgres } from './debianPostgres.ts'

export type DatabaseServer = { url: string; close(): Promise<void> }

/** Name of the database with the schema. Test databases are copies of it. */
export const migratedTemplate = 'migrated'

/** Environment variable with the URL of the run's server. */
export const serverVariable = 'LATCHKEY_TEST_DATABASE_SERVER'

/** Environment variable that selects Debian's PostgreSQL with `debian`. Otherwise, the embedded one runs. */
const postgresVariable = 'LATCHKEY_TEST_POSTGRES'

/**
 * Settings for speed: tests do not depend on durability. Autovacuum is off, because it would change the statistics, and
 * thereby the query plans, at any time.
 */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300', autovacuum: 'off' }

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-database-'))
  // When run as root, the database runs as another user, which needs access to the folder.
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

/** Makes up to three attempts, because another process may take a free port first. */
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
 * Starts one server for the whole run when the first test needs it, because `initdb`, start and schema take longer than
 * most test files. The server stops at the end of the run, even if the run is killed.
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

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Lets every role connect to a migrated database with the owner's password. */
export async function grantAll(url: string): Promise<void> {
  const password = decodeURIComponent(new URL(url).password)
  const roles = Object.keys(databaseRoles)
  await applyGrants({ databaseUrl: url, passwords: Object.fromEntries(roles.map((role) => [role, password])) })
}

/** Returns a database's URL for a role; see {@link grantAll}. */
export function asRole(url: string, role: DatabaseRole): string {
  const own = new URL(url)
  own.username = databaseRoles[role]
  return own.href
}

/** Runs one statement in the server's default database. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  // The timeout is long, because test files wait for one another while the server copies a database for each.
  const store = await openStore({ databaseUrl: serverUrl, maxConnections: 1, timeoutMs: 120_000 })
  try {
    await store.pool.query(statement)
  } finally {
    await store.close()
  }
}
