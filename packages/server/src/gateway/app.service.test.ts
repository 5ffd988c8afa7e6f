import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { afterAll, expect, onTestFinished } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { gatewayApp } from './app.ts'
import type { ChainOptions } from './chains/ChainOptions.ts'

const otherKey = randomBytes(16).toString('hex')
const origin = 'https://app.example'
const call = { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] }
const chainIdResult = { jsonrpc: '2.0', id: 7, result: '0x7a69' }

let apiKey: string
let testGateway: TestGateway
let gateway: ReturnType<typeof gatewayApp>
let several: ReturnType<typeof gatewayApp>
const logged: string[] = []

function deps(change: Partial<ChainOptions> = {}): gatewayApp.Deps {
  const log = (fields: Record<string, unknown>, message: string) => logged.push(JSON.stringify([fields, message]))
  const logger = { info: log, warn: log, error: log }
  return { ...testGateway.deps, logger, chains: [{ ...testGateway.chain, ...change }] }
}

test.beforeAll(async ({ chain }) => {
  testGateway = await startTestGateway({ chain })
  ;({ apiKey } = testGateway)
  const { db } = testGateway
  const project = { redirectUrls: [], allowedOrigins: [origin] }
  await upsertProject(db, { ...project, id: 'app', name: 'App', apiKey })
  const allowedOrigins = ['https://other.example']
  await upsertProject(db, { ...project, id: 'other', name: 'Other', apiKey: otherKey, allowedOrigins })
  gateway = gatewayApp(deps())
  const second = { ...testGateway.chain, chainId: 10, names: ['opt-mainnet'], nodeUrls: ['http://127.0.0.1:1'] }
  several = gatewayApp({ ...deps(), chains: [{ ...testGateway.chain, names: ['dev'] }, second] })
})
afterAll(() => testGateway?.close())

async function post(path: string, body: unknown, headers: Record<string, string> = {}, app = gateway) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.request(path, { method: 'POST', headers, body: text })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

test('answers a call', async () => {
  const { status, json } = await post(`/v2/${apiKey}`, call)
  expect({ status, json }).toEqual({ status: 200, json: chainIdResult })
})

test('answers the calls of a batch separately and in order', async () => {
  const { json } = await post(`/v2/${apiKey}`, [
    { ...call, id: 'a' },
    { ...call, id: 2, method: 'anvil_mine' },
    { ...call, id: 3, method: 'eth_supportedEntryPoints' },
    'nonsense',
    { ...call, id: 5, method: 'eth_getBalance', params: ['nonsense'] },
  ])
  expect(json).toMatchObject([
    { id: 'a', result: '0x7a69' },
    { id: 2, error: { code: -32601 } },
    { id: 3, result: Object.values(devAddresses.entryPoints) },
    { id: null, error: { code: -32600 } },
    { id: 5, error: { code: -32602 } },
  ])
})

test('refuses batches that are empty or too large', async () => {
  for (const batch of [Array.from({ length: 51 }, () => call), []]) {
    const { json } = await post(`/v2/${apiKey}`, batch)
    expect(json).toMatchObject({ error: { code: -32600, message: expect.stringContaining('1 to 50') } })
  }
  const most = Array.from({ length: 50 }, () => call)
  expect((await post(`/v2/${apiKey}`, most)).json).toHaveLength(50)
})

test('refuses bodies that are too large or not JSON', async () => {
  const large = await post(`/v2/${apiKey}`, { ...call, params: ['0'.repeat(1024 * 1024)] })
  expect(large).toMatchObject({ status: 413, json: { code: 'BODY_TOO_LARGE', error: { code: -32600 } } })
  const garbage = await post(`/v2/${apiKey}`, '{"jsonrpc":')
  expect(garbage).toMatchObject({ status: 400, json: { code: 'REQUEST_INVALID', error: { code: -32700 } } })
})

test('refuses methods outside the list', async () => {
  const methods = ['anvil_setBalance', 'evm_revert', 'hardhat_setCode', 'debug_traceCall', 'eth_sendTransaction']
  for (const method of [...methods, 'eth_accounts', 'debug_bundler_clearState', 'toString', '__proto__'])
    expect(await post(`/v2/${apiKey}`, { ...call, method }), method).toMatchObject({
      status: 200,
      json: { id: 7, error: { code: -32601, message: expect.stringContaining(method) } },
    })
})

test('serves the only chain at every form of the URL', async () => {
  const bearer = { authorization: `Bearer ${apiKey}` }
  for (const path of ['/v2', '/v2/', '/31337/v2', '/31337/v2/'])
    expect((await post(path, call, bearer)).json).toEqual(chainIdResult)
  for (const path of [`/v2/${apiKey}/`, `/31337/v2/${apiKey}`, `/31337/v2/${apiKey}/`])
    expect((await post(path, call)).json).toEqual(chainIdResult)
})

test('chooses among several chains by path or host', async () => {
  for (const url of [`/31337/v2/${apiKey}`, `/dev/v2/${apiKey}`, `/DEV/v2/${apiKey}`, `http://dev/v2/${apiKey}`])
    expect((await post(url, call, {}, several)).json).toEqual(chainIdResult)
  expect((await post(`http://dev.gateway.example/v2/${apiKey}`, call, {}, several)).json).toEqual(chainIdResult)
  const down = { error: { data: { code: 'NODE_UNREACHABLE' } } }
  expect((await post(`http://dev.gateway.example/10/v2/${apiKey}`, call, {}, several)).json).toMatchObject(down)
  expect((await post(`http://opt-mainnet.g.example/v2/${apiKey}`, call, {}, several)).json).toMatchObject(down)
})

test('refuses unknown and missing chains', async () => {
  for (const [url, app] of [
    [`/11155111/v2/${apiKey}`, gateway],
    [`/11155111/v2/${apiKey}`, several],
    [`/v2/${apiKey}`, several],
    [`http://other.example/v2/${apiKey}`, several],
  ] as const)
    expect(await post(url, call, {}, app)).toMatchObject({
      status: 404,
      json: { code: 'CHAIN_NOT_FOUND', message: expect.stringContaining('31337'), error: { code: -32600 } },
    })
  const { json } = await post(`/v2/${apiKey}`, call, {}, several)
  expect(json.message).toContain('10 or opt-mainnet')
  // Only callers with a key learn which chains exist.
  expect((await post('/11155111/v2/unknown-key', call, {}, several)).status).toBe(401)
})

test('refuses ambiguous chains and chains without upstreams', () => {
  const one = testGateway.chain
  const cases: [chains: ChainOptions[], message: string][] = [
    [[], 'serves no chain'],
    [[one, one], 'called 31337'],
    [
      [
        { ...one, names: ['a'] },
        { ...one, chainId: 5, names: ['A'] },
      ],
      'called a',
    ],
    [[{ ...one, names: ['v2'] }], 'cannot have the name'],
    [[{ ...one, names: ['a/b'] }], 'cannot have the name'],
    [[{ ...one, bundlerUrls: [] }], 'bundlerUrls'],
    [[{ ...one, nodeUrls: ['ws://localhost'] }], 'nodeUrls'],
    [[{ ...one, chainId: 1.5 }], 'chain id'],
  ]
  for (const [chains, message] of cases) expect(() => gatewayApp({ ...deps(), chains })).toThrow(message)
})

test('refuses missing and unknown keys', async () => {
  const wrong = randomBytes(16).toString('hex')
  const responses = await Promise.all([
    post('/v2', call),
    post('/v2', call, { authorization: `Basic ${apiKey}` }),
    post(`/v2/${wrong}`, call),
    post(`/v2/${wrong}`, call, { authorization: `Bearer ${apiKey}` }),
    post(`/v2/${'a'.repeat(4000)}`, call),
  ])
  for (const { status, json } of responses) {
    expect({ status, json }).toMatchObject({ status: 401, json: { code: 'UNAUTHENTICATED', error: { code: -32600 } } })
    expect(JSON.stringify(json)).not.toContain(wrong)
  }
})

test('refuses foreign origins, including those of another project', async () => {
  for (const foreign of ['https://evil.example', 'https://other.example', 'https://app.example.evil', 'null']) {
    const { status, json } = await post(`/v2/${apiKey}`, call, { origin: foreign })
    expect({ status, json }).toMatchObject({ status: 403, json: { code: 'ORIGIN_NOT_ALLOWED' } })
  }
})

test('passes one request id to the bundler, the log and the error', async () => {
  const seen: unknown[] = []
  const bundler = createServer(({ headers }, response) => {
    seen.push(headers['x-request-id'])
    response.writeHead(500).end()
  })
  await new Promise<void>((resolve) => bundler.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void bundler.close())
  const { port } = bundler.address() as AddressInfo
  const broken = gatewayApp(deps({ bundlerUrls: [`http://127.0.0.1:${port}`] }))
  logged.length = 0
  const body = { ...call, method: 'eth_supportedEntryPoints' }
  const { headers, json } = await post(`/v2/${apiKey}`, body, { origin, 'x-request-id': 'request-of-page' }, broken)
  expect(new Set(seen)).toEqual(new Set(['request-of-page']))
  expect(headers.get('x-request-id')).toBe('request-of-page')
  expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  expect(json.error.data).toEqual({ code: 'BUNDLER_UNREACHABLE', requestId: 'request-of-page' })
  expect(logged.join()).toContain('"requestId":"request-of-page"')
  // Requests that are refused before any call is read also get an id.
  const refused = await post('/v2/unknown-key', call)
  expect(refused.json.error.data.requestId).toBe(refused.headers.get('x-request-id'))
})
