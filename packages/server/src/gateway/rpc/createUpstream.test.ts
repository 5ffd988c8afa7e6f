import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
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

test('default', async () => {
  const upstream = await startUpstream((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  expect(await upstream.send('eth_chainId', [])).toEqual({ result: '0x1' })
  expect(await upstream.call('eth_chainId', [])).toBe('0x1')
})

test('behavior: an error object passes unchanged, with any HTTP status', async () => {
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
])('error: %s', async (_name, body) => {
  const upstream = await startUpstream((_request, response) => response.end(body))
  await expect(upstream.send('eth_chainId', [])).rejects.toMatchObject({
    code: 'BUNDLER_UNREACHABLE',
    rpcCode: -32002,
    message: expect.stringContaining('was not JSON-RPC'),
  })
})

test('error: an upstream that never responds, without its URL', async () => {
  const upstream = await startUpstream(() => {}, 100)
  const error = await upstream.send('eth_chainId', []).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: 'BUNDLER_UNREACHABLE', message: expect.stringContaining('within 100 ms') })
  expect(String(error)).not.toContain('secret-key')
})

test('error: nothing listens', async () => {
  const upstream = createUpstream({ kind: 'node', urls: ['http://127.0.0.1:1/secret-key'], timeoutMs: 5_000 })
  const error = await upstream.send('eth_chainId', []).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: 'NODE_UNREACHABLE', rpcCode: -32002 })
  expect(String(error)).not.toContain('secret-key')
})

test('error: params that can be read but not written again', async () => {
  const upstream = await startUpstream((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
  const params = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))
  await expect(upstream.send('eth_call', params)).rejects.toMatchObject({ code: 'REQUEST_INVALID', rpcCode: -32602 })
})
