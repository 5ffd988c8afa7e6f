import { randomUUID } from 'node:crypto'
import { migrate } from '../../server/src/platform/database/migrate.ts'
import { openStore, type Store } from '../../server/src/platform/database/openStore.ts'
import { FixtureError } from './FixtureError.ts'
import {
  administer,
  databaseUrl,
  grantAll,
  migratedTemplate,
  serverVariable,
  startDatabaseServer,
} from './run/databaseServer.ts'

/**
 * Creates a database for one test file, with the schema if `migrated`. `close` drops it. All files of a run share one
 * server, except with `server: 'own'` and outside of Vitest.
 */
export async function startTestDatabase(
  options: { migrated?: boolean; server?: 'shared' | 'own' } = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const broker = process.env[serverVariable]
  if (!broker || options.server === 'own') return startOwn(options.migrated ?? false)
  const serverUrl = await sharedServer(broker)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = options.migrated ? migratedTemplate : 'template1'
  await administer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: databaseUrl(serverUrl, name),
    close: () => administer(serverUrl, `drop database ${name} with (force)`),
  }
}

export async function startTestStore(): Promise<Store> {
  const database = await startTestDatabase({ migrated: true })
  const store = await openStore({ databaseUrl: database.url })
  return {
    ...store,
    async close() {
      await store.close()
      await database.close()
    },
  }
}

async function startOwn(migrated: boolean): Promise<{ url: string; close(): Promise<void> }> {
  const server = await startDatabaseServer()
  if (!migrated) return server
  try {
    await migrate({ databaseUrl: server.url })
    await grantAll(server.url)
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

async function sharedServer(broker: string): Promise<string> {
  const response = await fetch(broker, { signal: AbortSignal.timeout(120_000) })
  const text = await response.text()
  if (!response.ok) throw new FixtureError(`The run's PostgreSQL did not start: ${text}`)
  return text
}
