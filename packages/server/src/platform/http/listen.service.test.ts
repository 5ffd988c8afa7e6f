import { Agent, type IncomingMessage, request } from 'node:http'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { listen } from './listen.ts'

const fetchOk = async (incoming: Request) => new Response(await incoming.text())

function statusFor(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request({ port, host: '127.0.0.1', headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    call.once('error', reject)
    call.end()
  })
}

test('serves requests until it is closed', async () => {
  const server = await listen(fetchOk, { port: 0 })
  const response = await fetch(server.url, { method: 'POST', body: 'hello' })
  expect(await response.text()).toBe('hello')
  expect(server.url).toBe(`http://localhost:${server.port}`)
  await server.close()
  await expect(fetch(server.url)).rejects.toThrow()
})

test.each(['::1', '::'])('serves on the IPv6 host %s by a URL that works', async (host) => {
  const server = await listen(fetchOk, { port: 0, host })
  expect(server.url).toBe(`http://[${host}]:${server.port}`)
  expect((await fetch(server.url)).status).toBe(200)
  await server.close()
})

test('serves only loopback names on loopback', async () => {
  const server = await listen(fetchOk, { port: 0 })
  expect(await statusFor(server.port, `localhost:${server.port}`)).toBe(200)
  expect(await statusFor(server.port, `wallet.localhost:${server.port}`)).toBe(200)
  expect(await statusFor(server.port, `rebound.example:${server.port}`)).toBe(421)
  await server.close()
})

test('passes the address of the connection, independent of headers', async () => {
  const app = new Hono().get('/', (context) => context.text(getConnInfo(context).remote.address ?? ''))
  const server = await listen(app.fetch, { port: 0 })
  const response = await fetch(`http://127.0.0.1:${server.port}`, { headers: { 'x-forwarded-for': '203.0.113.1' } })
  expect(await response.text()).toBe('127.0.0.1')
  await server.close()
})

test('names a taken port', async () => {
  const server = await listen(fetchOk, { port: 0 })
  await expect(listen(fetchOk, { port: server.port })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    message: `Port ${server.port} on 127.0.0.1 is taken. Choose another port or stop what uses it.`,
  })
  await server.close()
})

function beginRequest(port: number, agent: Agent) {
  const call = request({ port, host: '127.0.0.1', method: 'POST', agent, headers: { 'content-length': 2 } })
  const response = new Promise<IncomingMessage>((resolve, reject) =>
    call.once('response', resolve).once('error', reject),
  )
  call.write('o')
  return { response, finish: () => call.end('k') }
}

test('finishes running requests while draining and closes their connections', async () => {
  const server = await listen(fetchOk, { port: 0 })
  const agent = new Agent({ keepAlive: true })
  const before = beginRequest(server.port, agent)
  before.finish()
  expect((await before.response).headers.connection).toBe('keep-alive')
  ;(await before.response).resume()
  const slow = beginRequest(server.port, agent)
  server.drain()
  const late = beginRequest(server.port, agent)
  late.finish()
  expect((await late.response).headers.connection).toBe('close')
  const closing = server.close({ graceMs: 30_000 })
  await expect(fetch(server.url)).rejects.toThrow()
  slow.finish()
  expect((await slow.response).statusCode).toBe(200)
  await closing
  agent.destroy()
})

test('cuts off requests after graceMs', async () => {
  const server = await listen(fetchOk, { port: 0 })
  const agent = new Agent()
  const slow = beginRequest(server.port, agent)
  // The second request proves that the first has arrived.
  await (await fetch(server.url)).text()
  const closing = server.close({ graceMs: 10 })
  await expect(slow.response).rejects.toThrow('socket hang up')
  await closing
})
