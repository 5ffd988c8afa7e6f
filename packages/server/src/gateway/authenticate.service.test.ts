import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { createProjectFinder, type ProjectAccess } from '../store/authorizeProject.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { cacheProjects, requireAll, requireMethod } from './authenticate.ts'

const store = await startTestStore()
afterAll(() => store.close())

function setKey(apiKey: string): Promise<void> {
  return upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
}

test('revokes a key within five seconds and accepts a new one at once', async () => {
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

test('requires a key for all chains and methods to show the whole project', async () => {
  await setKey('first-key')
  const project = await createProjectFinder(store.db)('first-key')
  if (!project) throw new TypeError('no project')
  const narrow = (key: object) => () => requireAll({ ...project, key: { ...project.key, ...key } } as ProjectAccess)
  expect(narrow({ chains: [1], methods: null })).toThrow(/for some chains or methods/)
  expect(narrow({ chains: null, methods: ['eth_*'] })).toThrow(/for some chains or methods/)
  expect(narrow({ chains: null, methods: null })).not.toThrow()
})

test('matches methods from the start of their names', () => {
  expect(() => requireMethod(['eth_*'], 'debug_eth_call')).toThrow(/not for the method/)
  expect(() => requireMethod(['eth_*'], 'eth_call')).not.toThrow()
})
