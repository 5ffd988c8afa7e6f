import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { type ApiKeyRules, createApiKey } from '../store/apiKeys.ts'
import { createProjectFinder } from '../store/authorizeProject.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { cacheProjects, requireMethod, requireServerKey } from './authenticate.ts'

const store = await startTestStore()
afterAll(() => store.close())

function setKey(apiKey: string): Promise<void> {
  return upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
}

test('revokes a key within five seconds and accepts a new one at once', async () => {
  let clock = 0
  await setKey('first-key')
  const find = cacheProjects(createProjectFinder(store.db), { now: () => clock })
  expect(await find('first-key')).not.toBeNull()
  expect(await find('second-key')).toBeNull()
  await setKey('second-key')
  expect(await find('second-key')).not.toBeNull()
  clock = 4_999
  expect(await find('first-key')).not.toBeNull()
  clock = 5_000
  expect(await find('first-key')).toBeNull()
})

test('shows the whole project only to a key for servers', async () => {
  await setKey('first-key')
  const find = createProjectFinder(store.db)
  const read = async (rules: ApiKeyRules) => {
    const { secret } = await createApiKey(store.db, { projectId: 'app', name: 'key', ...rules })
    const project = await find(secret)
    return () => project && requireServerKey(project)
  }
  const first = await find('first-key')
  expect(() => first && requireServerKey(first)).toThrow(/Only an API key for servers/)
  for (const rules of [{}, { origins: [], chains: [1] }, { origins: [], methods: ['eth_*'] }])
    expect(await read(rules)).toThrow(/Only an API key for servers/)
  expect(await read({ origins: [] })).not.toThrow()
})

test('matches methods from the start of their names', () => {
  expect(() => requireMethod(['eth_*'], 'debug_eth_call')).toThrow(/not for the method/)
  expect(() => requireMethod(['eth_*'], 'eth_call')).not.toThrow()
})
