import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { openStore } from '../../platform/database/openStore.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { listenForOperations } from './operationNotifier.ts'

const database = await startTestDatabase()
const store = await openStore({ databaseUrl: database.url })
afterAll(async () => {
  await store.close()
  await database.close()
})

const notify = () => store.pool.query("select pg_notify('latchkey_operations', $1)", ['["shop","0x1"]'])

/** Lists the projects of notified subscribers, and `interrupted` for broken connections. */
function listen(databaseUrl: string) {
  const heard: string[] = []
  const logger = { ...silentLogger, warn: () => void heard.push('interrupted') }
  const notifier = listenForOperations({ databaseUrl, logger })
  for (const projectId of ['shop', 'bank']) notifier.subscribe({ projectId }, () => heard.push(projectId))
  return { heard, close: () => notifier.close() }
}

test('wakes all subscribers on connecting and those of a project on its events', async () => {
  const { heard, close } = listen(database.url)
  await expect.poll(() => heard).toEqual(['shop', 'bank'])
  await notify()
  await expect.poll(() => heard).toEqual(['shop', 'bank', 'shop'])
  await close()
})

test('requires TLS for a remote database unless the URL disables it', async () => {
  // The host 0.0.0.0 counts as remote but reaches this machine, whose PostgreSQL has no TLS.
  const elsewhere = database.url.replace('127.0.0.1', '0.0.0.0')
  const refused = listen(elsewhere)
  await expect.poll(() => refused.heard).toContain('interrupted')
  const { rows } = await store.pool.query(
    "select 1 from pg_stat_activity where application_name = 'latchkey-server operations' and datname = current_database()",
  )
  expect(rows).toEqual([])
  await refused.close()
  const plain = listen(`${elsewhere}?sslmode=disable`)
  await expect.poll(() => plain.heard).toEqual(['shop', 'bank'])
  await plain.close()
})
