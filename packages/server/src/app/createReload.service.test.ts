import { randomBytes, randomUUID } from 'node:crypto'
import { startTestDatabase } from '@latchkey/testkit/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { migrate } from '../platform/database/migrate.ts'
import { openStore, type Store } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { respondWithMetrics } from '../platform/observability/metrics.ts'
import { listAllPolicies } from '../store/ledger/policies.ts'
import { createServer } from './createServer.ts'
import type { PolicyOptions, ProjectOptions, ServerOptions } from './options.ts'

const rootKey = createApiKeyPair()
const hex = () => randomBytes(32).toString('hex')
const url = (port: number) => `http://localhost:${port}`
const logged: Record<string, unknown>[] = []
const note = (fields: Record<string, unknown>, message: string) => void logged.push({ ...fields, message })

const project = (id: string, more: Partial<ProjectOptions> = {}): ProjectOptions => ({
  id,
  name: id,
  apiKey: `key-of-${id}`,
  redirectUrls: [],
  allowedOrigins: [`https://${id}.example`],
  ...more,
})
const policy = (id: string, cost: string): PolicyOptions => ({
  id,
  projectId: 'first',
  rules: { limits: { policy: { day: { cost } } } },
})

let database: Awaited<ReturnType<typeof startTestDatabase>>
let store: Store
let options: ServerOptions
let server: createServer.ReturnType
beforeAll(async () => {
  database = await startTestDatabase()
  await migrate({ databaseUrl: database.url })
  store = await openStore({ databaseUrl: database.url })
  options = {
    roles: ['custody', 'signer-api', 'gateway', 'frames'],
    databaseUrl: database.url,
    rootOrganizationId: randomUUID(),
    urls: { custody: url(1), authFrame: url(2), exportFrame: url(3), importFrame: url(4) },
    custody: {
      keyEncryption: { type: 'local', key: hex() },
      rootApiPublicKey: rootKey.publicKey,
      mailSealKey: hex(),
      bundleSigningKey: createApiKeyPair().privateKey,
    },
    signerApi: { custodyUrl: url(1), apiKey: rootKey },
    gateway: {
      chains: [{ chainId: 1, nodeUrls: [url(1)], bundlerUrls: [url(1)] }],
      paymasterKey: { type: 'secret', key: hex() },
      policies: [policy('default', '1')],
    },
    projects: [project('first')],
    logger: { info: note, warn: note, error: note },
  }
  server = await createServer(options)
})
afterAll(async () => {
  await server?.close()
  await store?.close()
  await database?.close()
})
beforeEach(async () => {
  await reload({})
  logged.length = 0
})

const reload = ({ policies, ...next }: Partial<ServerOptions> & { policies?: readonly PolicyOptions[] }) =>
  server.reload({
    read: () => ({
      ...options,
      ...(options.gateway && { gateway: { ...options.gateway, policies: policies ?? options.gateway.policies } }),
      ...next,
    }),
  })
const ask = (path: string, init: RequestInit = {}) => server.fetch(new Request(`http://localhost${path}`, init))
const gateway = async (key: string, origin?: string) =>
  (await ask(`/v2/${key}`, { method: 'POST', body: '{}', headers: origin ? { origin } : {} })).status
const signerApi = (key: string) =>
  ask('/signer/v1/signer-config', { method: 'POST', body: '{}', headers: { authorization: `Bearer ${key}` } })
const isTrusted = async (origin: string) => {
  const headers = { origin, 'access-control-request-method': 'POST' }
  const response = await ask('/public/v1/query/whoami', { method: 'OPTIONS', headers })
  return response.headers.get('access-control-allow-origin') === origin
}
const readReady = async () => (await ask('/readyz')).json()
const readMetric = async () =>
  /latchkey_config_current (\d)/.exec(
    await (await respondWithMetrics(new Request('http://localhost/metrics'))).text(),
  )?.[1]

test('serves an added project in every role without a restart', async () => {
  expect(await gateway('key-of-second')).toBe(401)
  expect((await signerApi('key-of-second')).status).toBe(401)
  expect(await isTrusted('https://second.example')).toBe(false)
  expect((await ask('/?project=second')).status).toBe(404)
  const second = project('second', { codes: 'six-digits', signerCodes: 'preferred' })
  expect(await reload({ projects: [project('first'), second] })).toBe(true)
  expect(await gateway('key-of-second')).toBe(200)
  expect(await (await signerApi('key-of-second')).json()).toEqual({ email: { mode: 'OTP' } })
  expect(await isTrusted('https://second.example')).toBe(true)
  expect((await ask('/?project=second')).headers.get('content-security-policy')).toContain('https://second.example')
  expect(await gateway('key-of-first')).toBe(200)
  expect(logged).toContainEqual({ message: 'The changed configuration is in use' })
})

test('refuses a removed project in every role at once', async () => {
  await reload({ projects: [project('first'), project('gone')] })
  expect(await gateway('key-of-gone')).toBe(200)
  expect(await reload({})).toBe(true)
  expect(await gateway('key-of-gone')).toBe(401)
  expect((await signerApi('key-of-gone')).status).toBe(401)
  expect(await isTrusted('https://gone.example')).toBe(false)
  expect((await ask('/?project=gone')).status).toBe(404)
  const { authFrameUrl } = await (
    await ask('/signer/v1/config', { headers: { origin: 'https://gone.example' } })
  ).json()
  expect(authFrameUrl).toBe(url(2))
})

test('refuses a replaced API key and a removed origin at once', async () => {
  expect([await gateway('key-of-first'), await gateway('key-of-first', 'https://first.example')]).toEqual([200, 200])
  const changed = project('first', { apiKey: 'a new key', allowedOrigins: ['https://other.example'] })
  expect(await reload({ projects: [changed] })).toBe(true)
  expect(await gateway('key-of-first')).toBe(401)
  expect((await signerApi('key-of-first')).status).toBe(401)
  expect(await gateway('a new key', 'https://first.example')).toBe(403)
  expect(await gateway('a new key', 'https://other.example')).toBe(200)
  expect(await isTrusted('https://first.example')).toBe(false)
})

test.each([
  ['a project', { projects: [project('first'), project('bad', { apiKey: 'short' })] }, 'its API key is shorter'],
  ['a policy', { policies: [policy('default', '2'), policy('other', 'much')] }, 'The rules of gas policy "other"'],
  [
    'an issuer',
    { jwt: [{ projectId: 'first', issuer: 'i', audience: 'a', algorithms: [], keys: { file: 'x' } }] },
    'its algorithms must',
  ],
] as const)('keeps everything as it was when %s is not valid', async (_, change, problem) => {
  const isUsed = await reload({ projects: [project('first', { apiKey: 'a new key' })], ...change })
  expect(isUsed).toBe(false)
  expect([await gateway('key-of-first'), await gateway('a new key')]).toEqual([200, 401])
  expect((await listAllPolicies(store.db)).map(({ id, rules }) => [id, rules.limits.policy?.day?.cost])).toEqual([
    ['default', '1'],
  ])
  expect(logged).toContainEqual({
    problem: expect.stringContaining(problem),
    message: 'The changed configuration was refused; the previous one stays in use',
  })
  expect(await readReady()).toEqual({
    status: 'ready',
    lacking: expect.objectContaining({
      server: 'runs its previous configuration: a changed file was refused, see its log',
    }),
  })
  expect(await readMetric()).toBe('0')
  expect(await reload({})).toBe(true)
  expect((await readReady()).lacking ?? {}).not.toHaveProperty('server')
  expect(await readMetric()).toBe('1')
})

test('keeps everything when the files cannot be read, and logs a repeated problem once', async () => {
  const read = () => {
    throw configInvalid('LATCHKEY_PROJECTS_FILE must hold a list of projects; see 0.apiKey')
  }
  expect(await server.reload({ read, fields: { config: 'abc' } })).toBe(false)
  expect(await server.reload({ read, isRetry: true })).toBe(false)
  const refusals = logged.filter(({ problem }) => problem !== undefined)
  expect(refusals).toMatchObject([{ config: 'abc', problem: expect.stringContaining('see 0.apiKey') }])
  expect(await gateway('key-of-first')).toBe(200)
})

test('changes policies, and creates the parent organization of an added project', async () => {
  const parent = randomUUID()
  const projects = [project('first'), project('own', { organizationId: parent })]
  expect(await reload({ projects, policies: [policy('default', '5'), policy('spring', '7')] })).toBe(true)
  const policies = await listAllPolicies(store.db)
  expect(policies.map(({ id, rules }) => [id, rules.limits.policy?.day?.cost])).toEqual([
    ['default', '5'],
    ['spring', '7'],
  ])
  const row = store.db.selectFrom('organizations').select('parent_id').where('id', '=', parent)
  expect(await row.executeTakeFirst()).toEqual({ parent_id: null })
  expect(await reload({})).toBe(true)
  await store.db.deleteFrom('gas_policies').where('id', '=', 'spring').execute()
})
