import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDatabase } from '../../../../../test/database.ts'
import { migrate } from '../../store/migrate.ts'
import { openStore, type Store } from '../../store/openStore.ts'
import { upsertProject } from '../../store/projects/upsertProject.ts'
import { findLinkProject } from './findLinkProject.ts'

let store: Store
let database: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  database = await startTestDatabase()
  await migrate({ databaseUrl: database.url })
  store = await openStore({ databaseUrl: database.url })
  await upsertProject(store.db, {
    id: 'one',
    name: 'One',
    apiKey: 'key-of-one',
    redirectUrls: ['https://one.example/login', 'https://one.example/tenant?id=7'],
    allowedOrigins: ['https://one.example'],
  })
})
afterAll(async () => {
  await store.close()
  await database.close()
})

test('default', async () => {
  const project = await findLinkProject(store.db, 'https://one.example/login?aa-is-signup=true&bundle=%s&orgId=1')
  expect(project.name).toBe('One')
})

test('behavior: the parameters of the registered URL must be there', async () => {
  await expect(findLinkProject(store.db, 'https://one.example/tenant?id=7&bundle=%s')).resolves.toMatchObject({
    id: 'one',
  })
  await expect(findLinkProject(store.db, 'https://one.example/tenant?id=8&bundle=%s')).rejects.toThrow('registered')
})

test('error: links that lead elsewhere', async () => {
  for (const template of [
    'https://evil.example/login?bundle=%s',
    'https://one.example.evil.example/login?bundle=%s',
    'https://one.example@evil.example/login?bundle=%s',
    'https://user:pass@one.example/login?bundle=%s',
    'http://one.example/login?bundle=%s',
    'https://one.example:444/login?bundle=%s',
    'https://one.example/login/other?bundle=%s',
    'https://one.example/login/../other?bundle=%s',
    'https://one.example\\@evil.example/login?bundle=%s',
    'https://one.example/login?x=1\r\nBcc: a@evil.example&bundle=%s',
    'javascript:alert(1)//one.example/login?bundle=%s',
    '//one.example/login?bundle=%s',
    'bundle=?%s',
  ])
    await expect(findLinkProject(store.db, template), template).rejects.toMatchObject({ code: 'REDIRECT_NOT_ALLOWED' })
})

test('error: the bundle has no place, two, or one outside the query', async () => {
  for (const template of [
    'https://one.example/login',
    'https://one.example/login?a=%s&b=%s',
    'https://one.example/login%s?bundle=1',
    'https://%s/login?bundle=1',
    'https://one.example/login#%s',
    'https://one.example/login?a=1#%s',
  ])
    await expect(findLinkProject(store.db, template), template).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
})
