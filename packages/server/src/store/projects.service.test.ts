import { randomUUID } from 'node:crypto'
import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test, vi } from 'vitest'
import {
  findProjectByApiKey,
  findProjectById,
  findProjectByOrigin,
  listAllowedOrigins,
  originCheck,
} from './projects.ts'
import { upsertProject } from './upsertProject.ts'

const store = await startTestStore()
afterAll(() => store.close())

const project = {
  id: 'one',
  name: 'One',
  apiKey: 'api-key-of-one',
  redirectUrls: ['https://One.example'],
  allowedOrigins: ['https://one.example/', 'http://localhost:4100'],
}

test('stores a project with normalized URLs', async () => {
  await upsertProject(store.db, project)
  expect(await findProjectByApiKey(store.db, 'api-key-of-one')).toEqual({
    id: 'one',
    name: 'One',
    redirectUrls: ['https://one.example/'],
    allowedOrigins: ['https://one.example', 'http://localhost:4100'],
    hidesAccounts: false,
    organizationId: null,
    logoUrl: null,
  })
  expect(await findProjectByApiKey(store.db, 'api-key-of-two')).toBe(null)
})

test('does not store the API key', async () => {
  const { rows } = await store.pool.query<{ t: string }>('select t::text from projects t')
  expect(rows.map((row) => row.t).join()).not.toContain('api-key-of-one')
  expect(rows.map((row) => row.t).join()).not.toContain(Buffer.from('api-key-of-one').toString('hex'))
})

test('replaces the API key', async () => {
  await upsertProject(store.db, { ...project, apiKey: 'second-key', name: 'Uno' })
  expect(await findProjectByApiKey(store.db, 'api-key-of-one')).toBe(null)
  expect(await findProjectByApiKey(store.db, 'second-key')).toMatchObject({ id: 'one', name: 'Uno' })
})

test('lists each origin once', async () => {
  await upsertProject(store.db, {
    ...project,
    id: 'two',
    apiKey: 'key-of-two',
    allowedOrigins: ['http://localhost:4100'],
  })
  expect((await listAllowedOrigins(store.db)).sort()).toEqual(['http://localhost:4100', 'https://one.example'])
  const isAllowed = originCheck(() => listAllowedOrigins(store.db))
  expect([await isAllowed('https://one.example'), await isAllowed('https://evil.example')]).toEqual([true, false])
})

test('keeps the last origins while the list cannot be read', async () => {
  let list: () => Promise<string[]> = async () => ['https://one.example']
  const isAllowed = originCheck(() => list(), { waitMs: 10 })
  const answers = async () => [await isAllowed('https://one.example'), await isAllowed('https://evil.example')]
  const now = performance.now.bind(performance)
  let laterMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs)
  try {
    expect(await answers()).toEqual([true, false])
    for (const broken of [() => Promise.reject(new TypeError('down')), () => new Promise<never>(() => {})]) {
      list = broken
      laterMs += 6_000
      expect(await answers()).toEqual([true, false])
    }
    list = async () => []
    laterMs += 6_000
    expect(await answers()).toEqual([false, false])
  } finally {
    clock.mockRestore()
  }
})

test('finds a project by its id and by an unshared origin', async () => {
  const other = randomUUID()
  await upsertProject(store.db, {
    ...project,
    id: 'three',
    apiKey: 'key-of-three',
    allowedOrigins: ['https://three.example'],
    organizationId: other.toUpperCase(),
    logoUrl: 'https://three.example/logo.png',
  })
  expect(await findProjectById(store.db, 'three')).toMatchObject({ organizationId: other })
  expect(await findProjectById(store.db, 'none')).toBeNull()
  expect(await findProjectByOrigin(store.db, 'https://three.example')).toMatchObject({ id: 'three' })
  expect(await findProjectByOrigin(store.db, 'http://localhost:4100')).toBeNull()
  expect(await findProjectByOrigin(store.db, 'https://evil.example')).toBeNull()
})

test('refuses invalid settings', async () => {
  const cases = [
    { apiKey: 'short' },
    { redirectUrls: ['javascript:alert(1)'] },
    { redirectUrls: ['https://user:pass@one.example/'] },
    { redirectUrls: ['https://one.example/#x'] },
    { redirectUrls: ['/login'] },
    { allowedOrigins: ['*'] },
    { allowedOrigins: ['null'] },
    { organizationId: 'root' },
    { logoUrl: 'http://one.example/logo.png' },
    { logoUrl: 'javascript:alert(1)' },
  ]
  for (const change of cases)
    await expect(upsertProject(store.db, { ...project, ...change }), JSON.stringify(change)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
})

test('writes the same project concurrently', async () => {
  for (let round = 0; round < 10; round++) {
    const same = { ...project, id: `shared-${round}`, apiKey: `api-key-shared-${round}` }
    await Promise.all(Array.from({ length: 8 }, () => upsertProject(store.db, same)))
    expect(await findProjectByApiKey(store.db, same.apiKey)).toMatchObject({ id: same.id })
  }
})

test('refuses wildcards, other schemes and policy syntax as origins', async () => {
  const bad = [
    '*',
    'https://*',
    'https://*.example.com',
    'https://a;b.example',
    'https://a$b.example',
    'ftp://a.example',
  ]
  for (const origin of [...bad, 'null', 'file:///x', "https://'self'"]) {
    const change = upsertProject(store.db, { ...project, id: 'bad', apiKey: 'key-of-bad', allowedOrigins: [origin] })
    await expect(change, origin).rejects.toThrow('is not an origin such as https://app.example')
  }
  expect(await findProjectById(store.db, 'bad')).toBe(null)
  const good = ['http://[::1]:5173', 'https://a_b.example', 'https://bücher.example', 'http://127.0.0.1:3000']
  await upsertProject(store.db, { ...project, id: 'good', apiKey: 'key-of-good', allowedOrigins: good })
  expect((await findProjectById(store.db, 'good'))?.allowedOrigins).toEqual([
    'http://[::1]:5173',
    'https://a_b.example',
    'https://xn--bcher-kva.example',
    'http://127.0.0.1:3000',
  ])
})
