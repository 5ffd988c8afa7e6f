import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../platform/database/openStore.ts'
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from './apiKeys.ts'
import { upsertProject } from './upsertProject.ts'

let store: Store
const projectId = 'shop'
const origins = ['https://shop.example', 'https://admin.shop.example']

beforeAll(async () => {
  store = await startTestStore()
  const project = { name: 'Shop', redirectUrls: [], allowedOrigins: origins }
  await upsertProject(store.db, { ...project, id: projectId, apiKey: 'first-key-of-shop' })
  await upsertProject(store.db, { ...project, id: 'other', apiKey: 'first-key-of-other', allowedOrigins: [] })
})
afterAll(async () => {
  await store?.close()
})

test('default: the secret is shown once, and only its digest is stored', async () => {
  const { secret, key } = await createApiKey(store.db, { projectId, name: 'Page' })
  expect(secret).toMatch(/^lk_[\w-]{43}$/)
  expect(key).toMatchObject({ projectId, name: 'Page', start: secret.slice(0, 8), chains: null, revokedAt: null })
  expect(await findApiKey(store.db, secret)).toEqual(key)
  expect(await listApiKeys(store.db, projectId)).toEqual([key])
  expect(await listApiKeys(store.db, 'other')).toEqual([])
  const { rows } = await store.pool.query('select * from api_keys')
  expect(JSON.stringify(rows)).not.toContain(secret.slice(8))
  expect(await findApiKey(store.db, `${secret}x`)).toBeNull()
})

test('behavior: a revoked key is refused; an end that was set is not put off', async () => {
  const { key, secret } = await createApiKey(store.db, { projectId, name: 'Ends' })
  const { id } = key
  await revokeApiKey(store.db, { projectId, id, afterMs: 3_600_000 })
  expect(await findApiKey(store.db, secret)).not.toBeNull()
  const { revokedAt } = await revokeApiKey(store.db, { projectId, id })
  expect(await findApiKey(store.db, secret)).toBeNull()
  expect((await revokeApiKey(store.db, { projectId, id, afterMs: 3_600_000 })).revokedAt).toEqual(revokedAt)
})

test('error: rules that cannot be', async () => {
  for (const [rules, message] of [
    [{ origins: ['https://evil.example'] }, 'is not one of its project'],
    [{ chains: [1.5] }, 'chain id'],
    [{ methods: ['eth call'] }, 'method'],
    [{ requestsPerMinute: 0 }, 'limit'],
    [{ unitsPerMinute: 1.5 }, 'limit'],
    [{ name: ' ' }, 'name'],
  ] as const)
    await expect(createApiKey(store.db, { projectId, name: 'x', ...rules })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining(message),
    })
})
