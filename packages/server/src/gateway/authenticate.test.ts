import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProjectFinder } from '../store/authorizeProject.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { cacheProjects } from './authenticate.ts'

let database: Awaited<ReturnType<typeof startTestDatabase>>
let store: Store

beforeAll(async () => {
  database = await startTestDatabase({ migrated: true })
  store = await openStore({ databaseUrl: database.url })
})

afterAll(async () => {
  await store?.close()
  await database?.close()
})

function setKey(apiKey: string): Promise<void> {
  return upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
}

test('default', async () => {
  await setKey('first-key')
  const find = cacheProjects(createProjectFinder(store.db))
  expect(await find('first-key')).toMatchObject({ id: 'app' })
  expect(await find('second-key')).toBeNull()
})

test('behavior: a removed key stops working after five seconds; a new one works at once', async () => {
  let clock = 0
  await setKey('first-key')
  const find = cacheProjects(createProjectFinder(store.db), () => clock)
  expect(await find('first-key')).not.toBeNull()
  expect(await find('second-key')).toBeNull()
  await setKey('second-key')
  expect(await find('second-key')).not.toBeNull()
  clock = 4_999
  expect(await find('first-key')).not.toBeNull()
  clock = 5_000
  expect(await find('first-key')).toBeNull()
})
