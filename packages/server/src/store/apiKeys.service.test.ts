import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from './apiKeys.ts'
import { upsertProject } from './upsertProject.ts'

const projectId = 'shop'
const origins = ['https://shop.example', 'https://admin.shop.example']

const store = await startTestStore()
const project = { name: 'Shop', redirectUrls: [], allowedOrigins: origins }
await upsertProject(store.db, { ...project, id: projectId, apiKey: 'first-key-of-shop' })
await upsertProject(store.db, { ...project, id: 'other', apiKey: 'first-key-of-other', allowedOrigins: [] })
afterAll(async () => {
  await store.close()
})

test('shows the secret once and stores only its digest', async () => {
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

test('refuses a revoked key and never extends its end', async () => {
  const { key, secret } = await createApiKey(store.db, { projectId, name: 'Ends' })
  const { id } = key
  await revokeApiKey(store.db, { projectId, id, afterMs: 3_600_000 })
  expect(await findApiKey(store.db, secret)).not.toBeNull()
  const { revokedAt } = await revokeApiKey(store.db, { projectId, id })
  expect(await findApiKey(store.db, secret)).toBeNull()
  expect((await revokeApiKey(store.db, { projectId, id, afterMs: 3_600_000 })).revokedAt).toEqual(revokedAt)
})

test('refuses invalid rules', async () => {
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
