import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { localServiceSigner } from '../keys/serviceSigner.ts'
import { type ApiKeyRules, createApiKey } from '../store/apiKeys.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { gatewayApp } from './app.ts'

const origins = ['https://shop.example', 'https://admin.shop.example']
/** Responds to each method with its name, and to `eth_gasPrice` with a rate limit. */
const node = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { method } = JSON.parse(text) as { method: string }
  if (method === 'eth_gasPrice') response.writeHead(429, { 'retry-after': '9' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: method === 'eth_chainId' ? '0x7a69' : method }))
})

const store = await startTestStore()
const project = { id: 'shop', name: 'Shop', redirectUrls: [], allowedOrigins: origins }
await upsertProject(store.db, { ...project, apiKey: 'first-key-of-shop' })
await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
afterAll(async () => {
  node.closeAllConnections()
  node.close()
  await store.close()
})

function createGateway(options: Partial<gatewayApp.Deps> = {}) {
  const upstreams = { nodeUrls: [url], bundlerUrls: [url] }
  return gatewayApp({
    db: store.db,
    chains: [
      { chainId: 31337, ...upstreams },
      { chainId: 10, nodeUrls: ['http://127.0.0.1:1'], bundlerUrls: ['http://127.0.0.1:1'] },
    ],
    signer: localServiceSigner({ key: randomBytes(32).toString('hex') }),
    ...options,
  })
}

const call = (method: string, id: number) => ({ jsonrpc: '2.0', id, method, params: [] })

async function post(gateway: ReturnType<typeof gatewayApp>, path: string, body: unknown, headers = {}) {
  const response = await gateway.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), json: await response.json() }
}

async function createKey(rules: ApiKeyRules) {
  return createApiKey(store.db, { projectId: 'shop', name: 'Test', ...rules })
}

test('limits a key to its chains, origins and methods', async () => {
  const gateway = createGateway()
  const methods = ['eth_block*', 'net_version']
  const { secret } = await createKey({ chains: [31337], origins: origins.slice(1), methods })
  const [foreign, own] = origins
  const other = await post(gateway, `/10/v2/${secret}`, call('eth_blockNumber', 1))
  expect(other).toMatchObject({
    status: 403,
    json: { code: 'API_KEY_NOT_ALLOWED', message: expect.stringContaining('chain 10, only for: 31337') },
  })
  const body = call('eth_blockNumber', 1)
  expect(await post(gateway, `/31337/v2/${secret}`, body, { origin: foreign })).toMatchObject({
    status: 403,
    json: { code: 'ORIGIN_NOT_ALLOWED', message: expect.stringContaining('https://shop.example') },
  })
  const batch = [body, call('net_version', 2), call('eth_gasPrice', 3), call('eth_sendUserOperation', 4)]
  const { json } = await post(gateway, `/31337/v2/${secret}`, batch, { origin: own })
  const refused = { code: -32600, message: expect.stringContaining('eth_'), data: { code: 'API_KEY_NOT_ALLOWED' } }
  expect(json).toMatchObject([
    { result: 'eth_blockNumber' },
    { result: 'net_version' },
    { id: 3, error: { ...refused, data: { method: 'eth_gasPrice' } } },
    { id: 4, error: refused },
  ])
})

test("counts each call of a batch and answers 429 with Retry-After and the call's id", async () => {
  const gateway = createGateway()
  const { secret } = await createKey({ requestsPerMinute: 4 })
  const path = `/31337/v2/${secret}`
  const batch = (length: number) => Array.from({ length }, (_, id) => call('eth_blockNumber', id))
  expect((await post(gateway, path, batch(3))).status).toBe(200)
  expect((await post(gateway, path, batch(2))).status).toBe(429)
  expect((await post(gateway, path, batch(1))).status).toBe(200)
  expect(await post(gateway, path, call('eth_blockNumber', 6))).toMatchObject({
    status: 429,
    retryAfter: expect.stringMatching(/^\d+$/),
    json: { id: 6, code: 'RATE_LIMIT_EXCEEDED', error: { code: -32005, data: { code: 'RATE_LIMIT_EXCEEDED' } } },
  })
  expect((await post(gateway, '/31337/v2/first-key-of-shop', call('eth_blockNumber', 7))).status).toBe(200)
})

test.each(['eth_call', 'eth_estimateGas', 'eth_createAccessList'])('costs %s by its gas', async (method) => {
  const gateway = createGateway()
  const countServed = async (gas: string | undefined, unitsPerMinute: number) => {
    const { secret } = await createKey({ unitsPerMinute })
    const body = { ...call(method, 1), params: [{ to: `0x${'11'.repeat(20)}`, gas }] }
    for (let served = 0; ; served++)
      if ((await post(gateway, `/31337/v2/${secret}`, body)).status === 429) return served
  }
  const least = method === 'eth_call' ? 26 : 50
  // 50 million gas at 250,000 per unit cost 200 units; a call without gas counts 2^24, so 68 units; small gas costs the
  // method's own units.
  for (const [gas, units] of [
    ['0xffffffffffff', 200],
    [undefined, 68],
    ['0x186a0', least],
  ] as const) {
    expect(await countServed(gas, 2 * units), String(gas)).toBe(2)
    // Units refill over time. The margin is large enough for a slow machine.
    expect(await countServed(gas, Math.ceil(1.75 * units)), String(gas)).toBe(1)
  }
})
