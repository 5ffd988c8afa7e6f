import { randomBytes, randomUUID } from 'node:crypto'
import { startTestDatabase } from '@latchkey/testkit/database'
import { asRole, grantAll } from '@latchkey/testkit/run/databaseServer'
import { startTestSmtp } from '@latchkey/testkit/smtp'
import { afterAll, expect, test } from 'vitest'
import { bundleSigningPublicKey } from '../keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { migrate } from '../platform/database/migrate.ts'
import { openStore } from '../platform/database/openStore.ts'
import { silentLogger } from '../platform/observability/logger.ts'
import { listCopies } from '../store/serverCopies.ts'
import { createServer, route } from './createServer.ts'
import type { Role } from './options.ts'
import type { App } from './startRoles.ts'

const database = await startTestDatabase()
const smtp = await startTestSmtp()
afterAll(async () => {
  await smtp.close()
  await database.close()
})

const rootKey = createApiKeyPair()
const hex = () => randomBytes(32).toString('hex')
const mailSealKey = hex()
const base = {
  rootOrganizationId: randomUUID(),
  urls: {
    custody: 'http://localhost:1',
    authFrame: 'http://localhost:2',
    exportFrame: 'http://localhost:3',
    importFrame: 'http://localhost:4',
  },
  custody: { keyEncryption: { type: 'local', key: hex() }, rootApiPublicKey: rootKey.publicKey, mailSealKey },
  logger: silentLogger,
} as const

test('refuses a missing schema', async () => {
  await expect(createServer({ ...base, roles: ['custody'], databaseUrl: database.url })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The database schema is missing or old. Run `latchkey-server migrate` first.',
  })
})

test('runs its roles, shows itself as a copy that is ready, and leaves nothing when it ends', async () => {
  const server = await createServer({
    ...base,
    roles: ['custody', 'mail'],
    databaseUrl: database.url,
    migrate: true,
    mail: { smtpUrl: smtp.url, from: 'a@b.example', sealKey: mailSealKey },
    projects: [],
  })
  const store = await openStore({ databaseUrl: database.url })
  await expect
    .poll(() => listCopies(store.db))
    .toMatchObject([{ roles: ['custody', 'mail'], state: { status: 'ready' } }])
  await server.close()
  await server.close()
  expect(await listCopies(store.db)).toEqual([])
  await store.close()
})

test('refuses invalid keys and projects', async () => {
  const options = { ...base, databaseUrl: database.url, roles: ['custody'] } as const
  const custody = { ...base.custody, mailSealKey: 'no' }
  await expect(createServer({ ...options, custody })).rejects.toThrow('custody.mailSealKey must be 32 bytes')
  const unsigned = { ...base.custody, bundleSigningKey: '00'.repeat(32) }
  await expect(createServer({ ...options, custody: unsigned })).rejects.toThrow(
    'bundleSigningKey must be a private key',
  )
  const signing = { ...base.custody, bundleSigningKey: '11'.repeat(32) }
  for (const page of ['export', 'import'] as const) {
    const frames = { page, bundleSigningPublicKey: `04${'11'.repeat(64)}` }
    await expect(createServer({ ...options, roles: ['frames'], custody: signing, frames })).rejects.toThrow(
      'is not the public key of custody.bundleSigningKey',
    )
  }
  const project = { id: 'p', name: 'P', apiKey: 'long-enough', redirectUrls: ['x'], allowedOrigins: [] }
  await expect(createServer({ ...options, projects: [project] })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('runs frames without a database', async () => {
  const frames = { bundleSigningPublicKey: bundleSigningPublicKey('11'.repeat(32)) }
  const server = await createServer({ ...base, roles: ['frames'], projects: [], frames })
  expect((await server.fetch(new Request('http://localhost/'))).status).toBe(200)
  await server.close()
  for (const role of ['custody', 'signer-api', 'mail', 'gateway'] as const)
    await expect(createServer({ ...base, roles: [role] })).rejects.toThrow('give `databaseUrl` (DATABASE_URL)')
})

test('uses a database user per role, and writes projects from custody', async () => {
  await migrate({ databaseUrl: database.url })
  await grantAll(database.url)
  const as = (role: 'custody' | 'gateway') => ({ [role]: asRole(database.url, role) })
  const project = { id: 'p', name: 'P', apiKey: 'long-enough', redirectUrls: [], allowedOrigins: [] }
  const gateway = await createServer({
    ...base,
    roles: ['gateway'],
    databaseUrls: as('gateway'),
    projects: [project],
    gateway: {
      chains: [{ chainId: 1, nodeUrls: ['http://localhost:1'], bundlerUrls: ['http://localhost:1'] }],
      paymasterKey: { type: 'secret', key: hex() },
    },
  })
  const ask = async () => {
    const request = new Request('http://localhost/v2/long-enough', { method: 'POST', body: '{}' })
    return (await gateway.fetch(request)).status
  }
  expect(await ask()).toBe(401)
  const custody = await createServer({ ...base, roles: ['custody'], databaseUrls: as('custody'), projects: [project] })
  expect(await ask()).toBe(200)
  await custody.close()
  await gateway.close()
})

test('refuses a remote custody without TLS', async () => {
  const options = { ...base, databaseUrl: database.url, migrate: true, roles: ['signer-api'] as const }
  const signerApi = { custodyUrl: 'http://custody.internal:8080', apiKey: rootKey }
  await expect(createServer({ ...options, signerApi })).rejects.toThrow('LATCHKEY_CUSTODY_TLS=off')
  const urls = { ...base.urls, custody: 'http://custody.example' }
  const near = { ...signerApi, custodyUrl: 'http://localhost:1' }
  await expect(createServer({ ...options, urls, signerApi: near })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  await (await createServer({ ...options, signerApi: { ...signerApi, custodyTls: 'off' } })).close()
})

test('refuses an auth frame that mails cannot link to', async () => {
  const options = { ...base, databaseUrl: database.url, migrate: true, roles: ['custody'] as const }
  for (const authFrame of [
    'http://auth.example',
    'https://auth.example/frames',
    'https://auth.example/?project=x',
    'https://me:secret@auth.example',
    'auth.example',
    'javascript:alert(1)',
  ]) {
    const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining('must be an https origin') }
    const server = createServer({ ...options, urls: { ...base.urls, authFrame } })
    await expect(server, authFrame).rejects.toMatchObject(refused)
  }
  for (const authFrame of ['https://auth.example', 'http://auth.localhost:3000/'])
    await (await createServer({ ...options, urls: { ...base.urls, authFrame } })).close()
})

test.each([
  ['custody', ['/public/v1/query/whoami']],
  ['signer-api', ['/signer/v1/lookup']],
  ['gateway', ['/v2/key', '/v2', '/31337/v2/key', '/eth-sepolia/v2/']],
  ['frames', ['/', '/main.js', '/v2x', '/publications']],
] as const)('routes to %s', async (expected, paths) => {
  const roles: Role[] = ['custody', 'signer-api', 'gateway', 'frames']
  const apps = new Map<Role, App>(roles.map((role) => [role, { fetch: () => new Response(role) }]))
  for (const path of paths)
    expect(await (await route(apps, new Request(`http://localhost${path}`))).text(), path).toBe(expected)
})
