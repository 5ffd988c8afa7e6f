import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../devnet/freePorts.ts'
import { guardNode, hiddenAddress } from './guardNode.ts'
import { rpc } from './rpc.ts'
import { spawnAnvil } from './spawnAnvil.ts'

const page = 'http://localhost:4100'
const cleanups: (() => Promise<void>)[] = []
let port: number

beforeAll(async () => {
  const [base, inner] = [await freePorts(1), await freePorts(1)]
  port = base
  const hidden = await hiddenAddress(inner)
  const node = await spawnAnvil({ ...hidden, chainId: 31337 })
  cleanups.push(node.close)
  const guard = await guardNode({ port, node: hidden, allowOrigins: [page] })
  cleanups.push(guard.close)
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

type Ask = { method?: string; headers?: Record<string, string>; body?: string }

/** Sends a request with any Host and Origin, which `fetch` cannot set. */
function ask({ method = 'POST', headers = {}, body = '' }: Ask): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      headers: { 'content-type': 'application/json', ...headers },
    })
    sent.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      resolve(Object.assign(response, { text: Buffer.concat(chunks).toString() }))
    })
    sent.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(Object.assign(response, { text: '' }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const question = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

test('lets programs reach the node', async () => {
  expect(await rpc({ url: `http://localhost:${port}`, method: 'eth_chainId' })).toBe('0x7a69')
  expect((await ask({ body: question })).headers['access-control-allow-origin']).toBeUndefined()
})

test('lets a registered page read responses of the node', async () => {
  const preflight = await ask({
    method: 'OPTIONS',
    headers: {
      origin: page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
  expect(preflight.statusCode).toBe(204)
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': page,
    'access-control-allow-headers': 'content-type',
  })
  const answer = await ask({ headers: { origin: page }, body: question })
  expect(answer.headers['access-control-allow-origin']).toBe(page)
  expect(JSON.parse(answer.text)).toMatchObject({ result: '0x7a69' })
})

test.each([
  ['of a program', {}, 101],
  ['of a registered page', { origin: page }, 101],
  ['of another page', { origin: 'http://evil.example' }, 403],
  ['to a rebound name', { host: 'evil.example', origin: 'http://evil.example' }, 421],
])('guards a WebSocket %s', async (_, headers, status) => {
  expect((await ask({ method: 'GET', headers: { ...webSocket, ...headers } })).statusCode).toBe(status)
})

test.each([
  ['another page', { origin: 'http://localhost:4999' }, 403],
  ['a page without an address', { origin: 'null' }, 403],
  ['a rebound name', { host: 'evil.example' }, 421],
  ['a name that only looks local', { host: 'localhost.evil.example' }, 421],
])('refuses %s before the node sees it', async (_, headers, status) => {
  const change = '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0x1"]}'
  const url = `http://localhost:${port}`
  const before = await rpc({ url, method: 'eth_blockNumber' })
  const answer = await ask({ headers, body: change })
  expect(answer.statusCode).toBe(status)
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  expect(await rpc({ url, method: 'eth_blockNumber' })).toBe(before)
})

test('closes WebSockets when the guard closes', async () => {
  const guard = await freePorts(1)
  const second = await guardNode({ port: guard, node: { host: '127.0.0.1', port }, allowOrigins: [page] })
  const ended = new Promise<void>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: guard, headers: { ...webSocket, origin: page } })
    sent.on('upgrade', async (_response, socket) => {
      socket.on('close', () => resolve())
      await second.close()
    })
    sent.on('error', reject)
    sent.end()
  })
  await ended
})

test('names a taken port', async () => {
  const node = { host: '127.0.0.1', port }
  await expect(guardNode({ port, node, allowOrigins: [] })).rejects.toMatchObject({ code: 'PORT_TAKEN' })
})

test('reports a node that is gone', async () => {
  const guard = await freePorts(2)
  const { close } = await guardNode({ port: guard, node: { host: '127.0.0.1', port: guard + 1 }, allowOrigins: [] })
  try {
    const asked = rpc({ url: `http://localhost:${guard}`, method: 'eth_chainId' })
    await expect(asked).rejects.toMatchObject({ message: 'eth_chainId failed: The chain does not respond.' })
  } finally {
    await close()
  }
})
