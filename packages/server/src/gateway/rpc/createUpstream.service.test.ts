import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keccak256 } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { afterEach, expect, test } from 'vitest'
import { createUpstream } from './createUpstream.ts'

const cleanups: (() => void)[] = []

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

async function startUpstream(listener: RequestListener, timeoutMs = 5_000) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return createUpstream({ kind: 'bundler', urls: [`http://127.0.0.1:${port}/secret-key`], timeoutMs })
}

test('returns a result', async () => {
  const upstream = await startUpstream((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  expect(await upstream.send('eth_chainId', [])).toEqual({ result: '0x1' })
  expect(await upstream.call('eth_chainId', [])).toBe('0x1')
})

test('passes an error object on, with any HTTP status', async () => {
  const error = { code: -32521, message: 'UserOperation reverted', data: { reason: '0x' } }
  const upstream = await startUpstream((_request, response) => {
    response.statusCode = 400
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
  })
  expect(await upstream.send('eth_sendUserOperation', [])).toEqual({ error })
  await expect(upstream.call('eth_sendUserOperation', [])).rejects.toMatchObject({ error })
})

test.each([
  ['a response that is not JSON', 'bad gateway'],
  ['JSON that is not JSON-RPC', '[]'],
  ['an error without a code', '{"error":"x"}'],
])('refuses %s', async (_name, body) => {
  const upstream = await startUpstream((_request, response) => response.end(body))
  await expect(upstream.send('eth_chainId', [])).rejects.toMatchObject({
    code: 'BUNDLER_UNREACHABLE',
    rpcCode: -32002,
    message: expect.stringContaining('was not JSON-RPC'),
  })
})

test('times out without naming the URL', async () => {
  const upstream = await startUpstream(() => {}, 100)
  const error = await upstream.send('eth_chainId', []).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: 'BUNDLER_UNREACHABLE', message: expect.stringContaining('within 100 ms') })
  expect(String(error)).not.toContain('secret-key')
})

test('reports a refused connection without its URL', async () => {
  const upstream = createUpstream({ kind: 'node', urls: ['http://127.0.0.1:1/secret-key'], timeoutMs: 5_000 })
  const error = await upstream.send('eth_chainId', []).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: 'NODE_UNREACHABLE', rpcCode: -32002 })
  expect(String(error)).not.toContain('secret-key')
})

test('refuses params that are too deep to serialize', async () => {
  const upstream = await startUpstream((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const params = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))
  await expect(upstream.send('eth_call', params)).rejects.toMatchObject({ code: 'REQUEST_INVALID', rpcCode: -32602 })
})

/** A stub of a node or bundler. `replies` may change while it runs; `asked` lists the methods called. */
async function startStub(replies: Record<string, unknown>) {
  const asked: string[] = []
  const stub = { asked, url: '', isDown: false, status: 200, headers: {} as Record<string, string>, cutsOff: '' }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { method } = JSON.parse(text) as { method: string }
    if (stub.isDown) return void request.socket.destroy()
    asked.push(method)
    if (stub.cutsOff === method) return void request.socket.destroy()
    response.writeHead(stub.status, stub.headers)
    const reply = replies[method]
    const error = { code: -32601, message: 'Method not found' }
    const outcome = reply instanceof Error ? { error: { code: -32507, message: reply.message } } : { result: reply }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...(reply === undefined ? { error } : outcome) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`
  return stub
}

const chain = { eth_chainId: '0x7a69' }
const closed = 'http://127.0.0.1:1/secret-key'

type Stub = Awaited<ReturnType<typeof startStub>>

function upstreamOver(stubs: readonly (Stub | string)[], options: Partial<createUpstream.Parameters> = {}) {
  const urls = stubs.map((stub) => (typeof stub === 'string' ? stub : stub.url))
  return createUpstream({ kind: 'bundler', urls, timeoutMs: 5_000, chainId: 31337, ...options })
}

test('asks the first healthy upstream and fails over to the next', async () => {
  const first = await startStub({ ...chain, eth_blockNumber: '0x1' })
  const second = await startStub({ ...chain, eth_blockNumber: '0x2' })
  let now = 0
  const upstream = upstreamOver([first, second], { now: () => now })
  expect(await upstream.send('eth_blockNumber', [])).toEqual({ result: '0x1' })
  expect(second.asked).toEqual([])
  first.isDown = true
  for (let count = 0; count < 4; count++) expect(await upstream.call('eth_blockNumber', [])).toBe('0x2')
  // After three failures, the endpoint is skipped for a second. Then its chain is checked before the next call.
  first.isDown = false
  first.asked.length = 0
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x2')
  now = 1_000
  let recovered = 0
  const end = upstream.onRecovered(() => recovered++)
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x1')
  expect(first.asked).toEqual(['eth_chainId', 'eth_blockNumber'])
  expect(recovered).toBe(1)
  end()
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x1')
  expect(recovered).toBe(1)
})

test("returns an upstream's error without asking another", async () => {
  const first = await startStub({ ...chain, eth_call: new Error('reverted') })
  const second = await startStub({ ...chain, eth_call: '0x' })
  expect(await upstreamOver([first, second]).send('eth_call', [])).toMatchObject({ error: { message: 'reverted' } })
  expect(second.asked).toEqual([])
})

test('asks no upstream on another chain', async () => {
  const wrong = await startStub({ eth_chainId: '0x1', eth_blockNumber: '0xbad', eth_sendUserOperation: '0xbad' })
  const right = await startStub({ ...chain, eth_blockNumber: '0x2' })
  const upstream = upstreamOver([wrong, right])
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x2')
  const alone = upstreamOver([wrong])
  for (const method of ['eth_blockNumber', 'eth_sendUserOperation'])
    await expect(alone.send(method, [])).rejects.toMatchObject({
      code: 'CHAIN_MISMATCH',
      message: expect.stringContaining('is on chain 1, not on 31337'),
    })
  expect(new Set(wrong.asked)).toEqual(new Set(['eth_chainId']))
})

test('skips an upstream for its Retry-After', async () => {
  const first = await startStub({ ...chain, eth_blockNumber: '0x1' })
  const second = await startStub({ ...chain, eth_blockNumber: '0x2' })
  Object.assign(first, { status: 429, headers: { 'retry-after': '7' } })
  await expect(upstreamOver([first]).send('eth_blockNumber', [])).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    rpcCode: -32005,
    retryAfterMs: 7_000,
  })
  let now = 0
  const upstream = upstreamOver([first, second], { now: () => now })
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x2')
  first.status = 200
  now = 6_999
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x2')
  now = 7_000
  expect(await upstream.call('eth_blockNumber', [])).toBe('0x1')
})

const sender = `0x${'11'.repeat(20)}` as const
const entryPoint = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'
const operation = {
  sender,
  nonce: '0x1',
  callData: '0x',
  signature: '0x',
  callGasLimit: '0x1',
  verificationGasLimit: '0x1',
  preVerificationGas: '0x1',
  maxFeePerGas: '0x1',
  maxPriorityFeePerGas: '0x1',
} as const
const hash = getUserOperationHash({
  chainId: 31337,
  entryPointAddress: entryPoint,
  entryPointVersion: '0.7',
  userOperation: {
    ...operation,
    nonce: 1n,
    callGasLimit: 1n,
    verificationGasLimit: 1n,
    preVerificationGas: 1n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  },
})
const send = 'eth_sendUserOperation'
const lookUp = 'eth_getUserOperationByHash'
const cases: [name: string, params: unknown[], hash: string, method: string, lookUp: string][] = [
  ['an operation', [operation, entryPoint], hash, send, lookUp],
  ['a transaction', ['0x02c0'], keccak256('0x02c0'), 'eth_sendRawTransaction', 'eth_getTransactionByHash'],
]

test.each(cases)('sends %s to the next upstream after a refused connection', async (_name, params, hash, method) => {
  const second = await startStub({ ...chain, [method]: hash })
  expect(await upstreamOver([closed, second]).send(method, params)).toEqual({ result: hash })
})

test.each(cases)(
  'sends the same bytes of %s on when the first may have accepted it',
  async (_name, params, hash, method, lookUp) => {
    const first = await startStub({ ...chain })
    first.cutsOff = method
    const second = await startStub({ ...chain, [method]: hash })
    expect(await upstreamOver([first, second]).send(method, params)).toEqual({ result: hash })
    const knowing = await startStub({ ...chain, [method]: new Error('AA25 invalid account nonce'), [lookUp]: {} })
    expect(await upstreamOver([first, knowing]).send(method, params)).toEqual({ result: hash })
    // An unknown hash means the operation was refused.
    const other = await startStub({ ...chain, [method]: new Error('AA25 invalid account nonce'), [lookUp]: null })
    expect(await upstreamOver([first, other]).send(method, params)).toMatchObject({
      error: { message: 'AA25 invalid account nonce' },
    })
  },
)

test.each(cases)(
  'looks for %s that the only upstream may have accepted',
  async (_name, params, hash, method, lookUp) => {
    const only = await startStub({ ...chain, [lookUp]: {} })
    only.cutsOff = method
    expect(await upstreamOver([only]).send(method, params)).toEqual({ result: hash })
    const unsure = await startStub({ ...chain, [lookUp]: null })
    unsure.cutsOff = method
    await expect(upstreamOver([unsure]).send(method, params)).rejects.toMatchObject({
      code: 'BUNDLER_UNREACHABLE',
      message: expect.stringContaining(`Look for ${hash}`),
      data: { mayBeAccepted: true, hash },
    })
  },
)

test('sends nothing on that may be accepted and whose hash is unknown', async () => {
  const first = await startStub({ ...chain })
  first.cutsOff = 'eth_sendRawTransaction'
  const second = await startStub({ ...chain, eth_sendRawTransaction: '0x' })
  await expect(upstreamOver([first, second]).send('eth_sendRawTransaction', ['0x03c0'])).rejects.toMatchObject({
    data: { mayBeAccepted: true },
  })
  expect(second.asked).toEqual([])
})

test('looks for an operation at the next bundler', async () => {
  const first = await startStub({ ...chain, [lookUp]: null, eth_getUserOperationReceipt: null })
  const second = await startStub({ ...chain, [lookUp]: { found: true }, eth_getUserOperationReceipt: null })
  const upstream = upstreamOver([first, second])
  expect(await upstream.call(lookUp, [hash])).toEqual({ found: true })
  expect(await upstream.call('eth_getUserOperationReceipt', [hash])).toBeNull()
  second.isDown = true
  expect(await upstream.call(lookUp, [hash])).toBeNull()
})

test('reads a filter from the node that made it', async () => {
  const first = await startStub({ ...chain, eth_newFilter: '0xabc', eth_getFilterChanges: ['first'] })
  const second = await startStub({ ...chain, eth_newFilter: '0xabc', eth_getFilterChanges: ['second'] })
  const upstream = upstreamOver([first, second], { kind: 'node' })
  const id = await upstream.call('eth_newFilter', [{}])
  expect(await upstream.call('eth_getFilterChanges', [id])).toEqual(['first'])
  first.isDown = true
  const other = await upstream.call('eth_newFilter', [{}])
  first.isDown = false
  expect(await upstream.call('eth_getFilterChanges', [other])).toEqual(['second'])
  expect(await upstream.send('eth_getFilterChanges', ['0xffabc'])).toMatchObject({ error: { code: -32000 } })
})

const reads = [
  { method: 'eth_getCode', params: ['0x00'] },
  { method: 'eth_blockNumber', params: [] },
]

test.each([
  ['in any order', '[{"id":1,"result":"0x2"},{"id":0,"result":"0x1"}]', ['0x1', '0x2']],
  ['with an error', '[{"id":0,"result":"0x1"},{"id":1,"error":{"code":3,"message":"reverted"}}]', 'reverted'],
  ['with one missing', '[{"id":0,"result":"0x1"},null]', 'was not JSON-RPC'],
])('reads in one request the responses %s', async (_name, body, expected) => {
  const asked: unknown[] = []
  const upstream = await startUpstream(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    asked.push(JSON.parse(text))
    response.end(body)
  })
  const outcome = await upstream.callAll(reads).catch((error: Error) => error.message)
  expect(outcome).toEqual(typeof expected === 'string' ? expect.stringContaining(expected) : expected)
  expect(asked).toEqual([reads.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))])
})

test('reads one by one from a node without batches, the next after a refused connection', async () => {
  const second = await startStub({ ...chain, eth_getCode: '0x60', eth_blockNumber: '0x2' })
  expect(await upstreamOver([closed, second], { kind: 'node' }).callAll(reads)).toEqual(['0x60', '0x2'])
})
