import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { connectTimeout, fetchBounded, isSecureUrl } from './fetchBounded.ts'

const text = 'x'.repeat(3000)
/** Encoded body by path. The last body is truncated. */
const coding: Record<string, { name: string; body: Uint8Array }> = {
  '/gzip': { name: 'gzip', body: gzipSync(text) },
  '/deflate': { name: 'deflate', body: deflateSync(text) },
  '/br': { name: 'br', body: brotliCompressSync(text) },
  '/cut': { name: 'gzip', body: gzipSync(randomBytes(3000)).subarray(0, 1000) },
}

let connections = 0
const server = createServer((request, response) => {
  if (request.url === '/slow') return
  if (request.url === '/drip') return void response.write('x')
  const coded = coding[request.url ?? '']
  if (coded) return void response.writeHead(200, { 'content-encoding': coded.name }).end(coded.body)
  if (request.url === '/breaks') return void response.writeHead(200).write('x', () => response.destroy())
  if (request.url === '/large') return void response.end('x'.repeat(2000))
  if (request.url === '/away') return void response.writeHead(302, { location: '/large' }).end()
  response.writeHead(418).end(`${request.method} ${request.headers.accept}`)
})
server.on('connection', () => connections++)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('returns status and body', async () => {
  const response = await fetchBounded(`${url}/`, { what: 'It', method: 'POST', headers: { accept: 'a' }, body: '' })
  expect([response.status, new TextDecoder().decode(response.body)]).toEqual([418, 'POST a'])
})

test('times out without a complete response', async () => {
  for (const path of ['/slow', '/drip'])
    await expect(fetchBounded(url + path, { what: 'The node', timeoutMs: 100 }), path).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'The node did not answer within 100 ms. Try again in a moment.',
    })
})

test('passes bytes to onBytes, whose error ends the request', async () => {
  const seen: number[] = []
  await fetchBounded(`${url}/large`, { what: 'It', onBytes: (bytes) => seen.push(bytes) })
  expect(seen.reduce((sum, bytes) => sum + bytes, 0)).toBe(2000)
  const refusal = new Error('enough')
  for (const path of ['/large', '/drip']) {
    const refused = fetchBounded(url + path, {
      what: 'It',
      onBytes: () => {
        throw refusal
      },
    })
    await expect(refused, path).rejects.toBe(refusal)
  }
})

test('refuses a response that is too large', async () => {
  await expect(fetchBounded(`${url}/large`, { what: 'The node', maxBytes: 1000 })).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
  })
})

test('reports unreachable and redirecting servers without the URL', async () => {
  for (const target of ['http://127.0.0.1:1/secret-key', `${url}/away`])
    await expect(fetchBounded(target, { what: 'The node' })).rejects.toMatchObject({
      code: 'NETWORK_UNREACHABLE',
      message: 'The node cannot be reached. Check that it is running and that its URL is right.',
    })
})

test('decompresses a response within the same bound', async () => {
  for (const path of ['/gzip', '/deflate', '/br']) {
    const { body } = await fetchBounded(url + path, { what: 'It', maxBytes: text.length })
    expect([path, new TextDecoder().decode(body) === text]).toEqual([path, true])
    const tooSmall = fetchBounded(url + path, { what: 'It', maxBytes: text.length - 1 })
    await expect(tooSmall, path).rejects.toMatchObject({ code: 'RESPONSE_INVALID' })
  }
})

test('reports a response that breaks off', async () => {
  for (const path of ['/cut', '/breaks'])
    await expect(fetchBounded(url + path, { what: 'It' }), path).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
})

test('reports a connection timeout as nothing sent', async () => {
  // TEST-NET-1 (RFC 5737) has no hosts. Without a route to it, the error comes immediately.
  const sent = fetchBounded('http://192.0.2.1/', { what: 'It', timeoutMs: 200 })
  const { cause } = (await sent.catch((error: unknown) => error)) as { cause: { code: string } }
  expect([connectTimeout, 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED']).toContain(cause.code)
})

test('accepts https and this machine as secure URLs', () => {
  for (const url of ['https://vault.example:8200', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:8200'])
    expect(isSecureUrl(url), url).toBe(true)
  const names = ['http://localhost.evil.example', 'http://127.0.0.1@evil.example', 'ftp://localhost']
  for (const url of ['vault', 'http://vault.example', ...names]) expect(isSecureUrl(url), url).toBe(false)
})
