import { randomBytes, randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestDatabase } from '@latchkey/testkit/database'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import * as expressExample from '../../../../examples/embedded/express.ts'
import * as honoExample from '../../../../examples/embedded/hono.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { listen } from '../platform/http/listen.ts'
import { silentLogger } from '../platform/observability/logger.ts'
import type { ServerOptions } from './options.ts'

/** Runs the examples of docs/operate/embed.md. */

const database = await startTestDatabase({ migrated: true })
afterAll(() => database.close())

const rootKey = createApiKeyPair()
const hex = () => randomBytes(32).toString('hex')
const apiKey = 'long-enough-key'
const origin = 'https://app.example'
const options: ServerOptions = {
  roles: ['custody', 'signer-api'],
  databaseUrl: database.url,
  rootOrganizationId: randomUUID(),
  urls: {
    custody: 'https://app.example/wallet',
    authFrame: 'https://auth.example',
    exportFrame: 'https://export.example',
    importFrame: 'https://import.example',
  },
  projects: [{ id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [origin] }],
  custody: {
    keyEncryption: { type: 'local', key: hex() },
    rootApiPublicKey: rootKey.publicKey,
    mailSealKey: hex(),
    bundleSigningKey: createApiKeyPair().privateKey,
  },
  signerApi: { custodyUrl: 'http://localhost:1', apiKey: rootKey },
  trustedProxies: 1,
  logger: silentLogger,
}

type Served = { url: string; close(): Promise<void> }
const examples: [name: string, serve: () => Promise<Served>][] = [
  [
    'Hono',
    async () => {
      const { app, latchkey } = await honoExample.createApp(options)
      const { url, close } = await listen((request, env) => app.fetch(request, env), { port: 0 })
      return { url, close: () => close().then(latchkey.close) }
    },
  ],
  [
    'Express',
    async () => {
      const { app, latchkey } = await expressExample.createApp(options)
      const server = createHttpServer(app).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as AddressInfo
      const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
      return { url: `http://127.0.0.1:${port}`, close: () => close().then(latchkey.close) }
    },
  ],
]

test.each(examples)('serves the roles below a path of an app of %s', async (_, serve) => {
  const { url, close } = await serve()
  expect(await (await fetch(url)).text()).toBe('Your app')
  expect(await (await fetch(`${url}/wallet/readyz`)).json()).toMatchObject({ status: 'ready' })
  const body = JSON.stringify({ organizationId: options.rootOrganizationId })
  const { stampHeaderName, stampHeaderValue } = createStamp(body, rootKey)
  const whoami = await fetch(`${url}/wallet${custodyPaths.whoami}`, {
    method: 'POST',
    body,
    headers: { [stampHeaderName]: stampHeaderValue, origin, 'content-type': 'application/json' },
  })
  expect([whoami.status, whoami.headers.get('access-control-allow-origin')]).toEqual([200, origin])
  expect(await whoami.json()).toMatchObject({ organizationId: options.rootOrganizationId })
  const headers = { authorization: `Bearer ${apiKey}`, origin, 'x-forwarded-for': '203.0.113.7' }
  const config = await fetch(`${url}/wallet/signer/v1/config`, { headers })
  expect(config.status).toBe(200)
  expect(
    (await fetch(`${url}/wallet/signer/v1/lookup`, { method: 'POST', body: 'x'.repeat(100_000), headers })).status,
  ).toBe(413)
  expect((await fetch(`${url}/wallet/none`)).status).toBe(404)
  await close()
})
