import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchBounded, isSecureUrl } from './fetchBounded.ts'

let server: Server
let url: string
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/slow') return
    if (request.url === '/drip') return void response.write('x')
    if (request.url === '/large') return void response.end('x'.repeat(2000))
    if (request.url === '/away') return void response.writeHead(302, { location: '/large' }).end()
    response.writeHead(418).end(`${request.method} ${request.headers.accept}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('default', async () => {
  const response = await fetchBounded(`${url}/`, { what: 'It', method: 'POST', headers: { accept: 'a' }, body: '' })
  expect([response.status, new TextDecoder().decode(response.body)]).toEqual([418, 'POST a'])
})

test('error: no response, or half of one, in time', async () => {
  for (const path of ['/slow', '/drip'])
    await expect(fetchBounded(url + path, { what: 'The node', timeoutMs: 100 }), path).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'The node did not answer within 100 ms. Try again in a moment.',
    })
})

test('param: onBytes sees what comes, and what it throws ends the request', async () => {
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

test('error: a response too large', async () => {
  await expect(fetchBounded(`${url}/large`, { what: 'The node', maxBytes: 1000 })).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
  })
})

test('error: unreachable or redirecting, and the URL stays unnamed', async () => {
  for (const target of ['http://127.0.0.1:1/secret-key', `${url}/away`])
    await expect(fetchBounded(target, { what: 'The node' })).rejects.toMatchObject({
      code: 'NETWORK_UNREACHABLE',
      message: 'The node cannot be reached. Check that it is running and that its URL is right.',
    })
})

test.each(['https://vault.example:8200', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:8200'])(
  'behavior: %s is secure',
  (url) => {
    expect(isSecureUrl(url)).toBe(true)
  },
)

test.each([
  'vault',
  'http://vault.example',
  'http://localhost.evil.example',
  'http://127.0.0.1@evil.example',
  'ftp://localhost',
])('behavior: %s is not secure', (url) => {
  expect(isSecureUrl(url)).toBe(false)
})
