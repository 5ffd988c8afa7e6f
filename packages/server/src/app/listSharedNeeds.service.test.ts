import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestDatabase } from '@latchkey/testkit/database'
import { startTestSmtp } from '@latchkey/testkit/smtp'
import { startTestVault } from '@latchkey/testkit/vault'
import { afterAll, expect, test } from 'vitest'
import { openStore } from '../platform/database/openStore.ts'
import { respondWithMetrics } from '../platform/observability/metrics.ts'
import { createReadiness } from './createReadiness.ts'
import { listSharedNeeds } from './listSharedNeeds.ts'
import { isStoreRole, roles, type ServerOptions } from './options.ts'

// Each test breaks one dependency of one role and expects only that dependency to be reported.

const replies = { custody: 404, chainId: '0x1', bundler: 200 }
type Respond = (body: { method?: string }) => [status: number, result: unknown]
const closers: (() => Promise<void>)[] = []

async function serve(respond: Respond): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const [status, result] = respond(body === '' ? {} : JSON.parse(body))
    response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const database = await startTestDatabase({ migrated: true })
closers.push(database.close)
const smtp = await startTestSmtp()
const vault = await startTestVault()
closers.push(vault.close)
const custodyUrl = await serve(() => [replies.custody, null])
const nodeUrl = await serve(() => [200, replies.chainId])
const bundlerUrl = await serve(({ method }) => [replies.bundler, method === 'eth_chainId' ? '0x1' : []])
const hex = () => randomBytes(32).toString('hex')
const { url, token, key } = vault
const options: ServerOptions = {
  roles,
  databaseUrl: database.url,
  rootOrganizationId: '8a1f0e6c-6a1b-4b1e-9d3c-2f5b7c9e1a40',
  urls: { custody: custodyUrl, authFrame: '', exportFrame: '', importFrame: '' },
  projects: [],
  custody: { keyEncryption: { type: 'vault', url, token, key }, rootApiPublicKey: '', mailSealKey: hex() },
  signerApi: { custodyUrl, apiKey: { publicKey: '', privateKey: '' } },
  mail: { smtpUrl: smtp.url, from: 'a@b.example', sealKey: hex() },
  gateway: {
    chains: [{ chainId: 1, nodeUrls: [nodeUrl], bundlerUrls: [bundlerUrl] }],
    paymasterKey: { type: 'secret', key: hex() },
  },
  webhooks: { secrets: {} },
  admin: { operatorKey: hex() },
}
const stores = new Map()
for (const role of roles)
  if (isStoreRole(role)) stores.set(role, await openStore({ databaseUrl: database.url, maxConnections: 1 }))
const readiness = createReadiness(stores, { shared: listSharedNeeds(options), sharedKeptMs: 0 })
afterAll(async () => {
  readiness.close()
  for (const store of stores?.values() ?? []) await store.close().catch(() => undefined)
  for (const close of closers) await close()
})

const ask = async () => {
  const response = await readiness.respond()
  return [response.status, await response.json()]
}
const broken: Record<string, string> = {}

test('reports that every role has what it needs', async () => {
  await expect.poll(ask).toEqual([200, { status: 'ready' }])
})

test.each<[what: string, role: string, problem: string, doBreak: () => unknown, mend: (() => unknown) | undefined]>([
  [
    'a custody that fails',
    'signer-api',
    'custody does not respond',
    () => (replies.custody = 503),
    () => (replies.custody = 404),
  ],
  [
    'a node of another chain',
    'gateway',
    'chain 1 has no node or no bundler',
    () => (replies.chainId = '0x2'),
    undefined,
  ],
  ['no SMTP server', 'mail', 'its SMTP server does not accept mail', () => smtp.close(), undefined],
  ['a key service that hangs', 'custody', 'its key encryption fails', () => vault.hang(), undefined],
])('names %s and still takes requests', async (_, role, problem, doBreak, mend) => {
  await doBreak()
  const lacking = { ...broken, [role]: problem }
  await expect.poll(ask).toEqual([200, { status: 'ready', lacking }])
  const figures = await (await respondWithMetrics(new Request('http://localhost/metrics'))).text()
  expect(figures).toMatch(new RegExp(`^latchkey_need_met\\{role="${role}",need="[a-z ]+"\\} 0$`, 'm'))
  if (!mend) {
    broken[role] = problem
    return
  }
  await mend()
  const isWhole = Object.keys(broken).length === 0
  await expect.poll(ask).toEqual([200, { status: 'ready', ...(!isWhole && { lacking: broken }) }])
})

test('is not ready while a role lacks its database', async () => {
  const lost: Record<string, string> = {}
  for (const [role, store] of stores) {
    await store.close()
    lost[role] = 'its database does not respond'
    await expect.poll(ask).toEqual([503, { status: 'not ready', problems: lost }])
  }
  expect(Object.keys(lost)).toEqual(['custody', 'signer-api', 'mail', 'gateway', 'webhooks', 'admin'])
})
