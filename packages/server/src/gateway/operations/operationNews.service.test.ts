import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, type Store } from '../../platform/database/openStore.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { listenForOperations } from './operationNews.ts'

let database: Awaited<ReturnType<typeof startTestDatabase>>
let store: Store
beforeAll(async () => {
  database = await startTestDatabase()
  store = await openStore({ databaseUrl: database.url })
})
afterAll(async () => {
  await store?.close()
  await database?.close()
})

const notify = () => store.pool.query("select pg_notify('latchkey_operations', $1)", ['["shop","0x1"]'])

/** What wakes, in order: the projects of subscribers, and `interrupted` for a connection that broke. */
function listen(databaseUrl: string) {
  const heard: string[] = []
  const logger = { ...silentLogger, warn: () => void heard.push('interrupted') }
  const news = listenForOperations({ databaseUrl, logger })
  for (const projectId of ['shop', 'bank']) news.subscribe({ projectId }, () => heard.push(projectId))
  return { heard, close: () => news.close() }
}

test('default: wakes subscribers of the project, and all of them once it listens', async () => {
  const { heard, close } = listen(database.url)
  await expect.poll(() => heard).toEqual(['shop', 'bank'])
  await notify()
  await expect.poll(() => heard).toEqual(['shop', 'bank', 'shop'])
  await close()
})

test('error: a database elsewhere gets nothing without TLS, unless the URL says so', async () => {
  // Not a name of this machine, yet it leads there; the server has no TLS.
  const elsewhere = database.url.replace('127.0.0.1', '0.0.0.0')
  const refused = listen(elsewhere)
  await expect.poll(() => refused.heard).toContain('interrupted')
  const { rows } = await store.pool.query(
    "select 1 from pg_stat_activity where application_name = 'latchkey-server news' and datname = current_database()",
  )
  expect(rows).toEqual([])
  await refused.close()
  const plain = listen(`${elsewhere}?sslmode=disable`)
  await expect.poll(() => plain.heard).toEqual(['shop', 'bank'])
  await plain.close()
})
