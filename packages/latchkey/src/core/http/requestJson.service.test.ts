import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { HttpError } from '../errors/HttpError.ts'
import { getJson, postJson } from './requestJson.ts'

let server: Listening
let seen: { method: string | undefined; type: string | undefined; body: string }[]

beforeEach(async () => {
  seen = []
  server = await listen(async (request, response) => {
    const body = await readBody(request)
    seen.push({ method: request.method, type: request.headers['content-type'], body })
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/never') return
    if (pathname === '/half') {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      return
    }
    if (pathname === '/html') return response.end('<html>')
    if (pathname === '/nothing') return response.end()
    if (pathname === '/truncated') return response.end('{"ok":')
    if (pathname === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setTimeout(() => request.socket.destroy(), 20)
      return
    }
    if (pathname === '/huge') {
      const part = Buffer.alloc(1024 * 1024, ' ')
      const more = (): boolean => response.write(part) && more()
      response.on('drain', more)
      more()
      return
    }
    if (pathname === '/refused') {
      response.writeHead(403, { 'x-request-id': 'request-1' }).end('{"code":7,"message":"not allowed","details":[]}')
      return
    }
    if (pathname === '/empty') return response.writeHead(500).end()
    if (pathname === '/busy' && seen.length < 3) return response.writeHead(429, { 'retry-after': '0' }).end('{}')
    if (pathname === '/always') return response.writeHead(503, { 'retry-after': '0' }).end()
    if (pathname === '/later') return response.writeHead(429, { 'retry-after': '600' }).end()
    if (pathname === '/failed') return response.writeHead(500, { 'retry-after': '0' }).end()
    if (pathname === '/soon') return response.writeHead(429, { 'retry-after': '4' }).end()
    response.end('{"ok":true}')
  })
})
afterEach(() => server.close())

test('posts JSON, and text unchanged', async () => {
  expect(await postJson({ url: server.url, body: { a: 1 } })).toEqual({ ok: true })
  expect(await postJson({ url: server.url, body: '{ "a": 1 }' })).toEqual({ ok: true })
  expect(await getJson({ url: server.url })).toEqual({ ok: true })
  expect(seen).toEqual([
    { method: 'POST', type: 'application/json', body: '{"a":1}' },
    { method: 'POST', type: 'application/json', body: '{ "a": 1 }' },
    { method: 'GET', type: undefined, body: '' },
  ])
})

test('throws an HttpError for a status outside 2xx', async () => {
  const refused = await postJson({ url: `${server.url}/refused?key=secret`, body: {} }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(HttpError)
  expect(refused).toMatchObject({ code: 'HTTP_FAILED', status: 403, serverCode: 7, shortMessage: 'not allowed' })
  expect(refused).toMatchObject({ details: 'Request request-1' })
  expect(String(refused)).not.toContain('secret')
  await expect(postJson({ url: `${server.url}/empty`, body: {} })).rejects.toMatchObject({
    shortMessage: 'The server answered with status 500.',
  })
})

test('refuses a response that is not JSON, is empty, is cut or does not end', async () => {
  for (const path of ['html', 'nothing', 'truncated', 'huge']) {
    await expect(getJson({ url: `${server.url}/${path}` })).rejects.toMatchObject({ code: 'RESPONSE_INVALID' })
  }
  await expect(getJson({ url: `${server.url}/cut` })).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
})

test('times out without head or body', async () => {
  for (const path of ['never', 'half']) {
    await expect(getJson({ url: `${server.url}/${path}`, timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  }
})

test('gives up after the given time, or after 30 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const fetch: typeof globalThis.fetch = (_url, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  for (const [timeoutMs, limitMs] of [
    [50, 50],
    [undefined, 30_000],
  ] as const) {
    let result: unknown
    const request = getJson({ url: server.url, timeoutMs, fetch }).catch((error: unknown) => {
      result = error
    })
    await vi.advanceTimersByTimeAsync(limitMs - 1)
    expect(result).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(result).toMatchObject({ code: 'TIMEOUT' })
    await request
  }
})

test('aborts before and during a request', async () => {
  await expect(getJson({ url: server.url, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
  const controller = new AbortController()
  const waiting = getJson({ url: `${server.url}/never`, signal: controller.signal })
  controller.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
})

test('names an unreachable URL without its secrets and says what to do', async () => {
  const gone = 'http://localhost:4'
  const url = `${gone.replace('//', '//user:word@')}/v2/my-api-key/x?token=secret#part`
  const error = await getJson({ url }).catch((cause: unknown) => cause)
  expect(String(error)).not.toMatch(/word|my-api-key|secret/)
  const plain = await getJson({ url: `${gone}/v2/my-api-key?token=secret` }).catch((cause: unknown) => cause)
  expect(plain).toMatchObject({ code: 'NETWORK_UNREACHABLE', shortMessage: 'The service could not be reached.' })
  expect(String(plain)).toContain(`Could not reach ${gone}/v2/***.`)
  expect(String(plain)).toContain('npm start')
  expect(String(plain)).not.toMatch(/my-api-key|secret/)
})

test('retries twice after a short Retry-After, and never after a long one', async () => {
  expect(await postJson({ url: `${server.url}/busy`, body: '{}' })).toEqual({ ok: true })
  expect(seen.map(({ body }) => body)).toEqual(['{}', '{}', '{}'])
  await expect(getJson({ url: `${server.url}/always` })).rejects.toMatchObject({ status: 503, retryAfterMs: 0 })
  expect(seen).toHaveLength(6)
  const later = await getJson({ url: `${server.url}/later` }).catch((error: unknown) => error)
  expect(later).toMatchObject({ status: 429, retryAfterMs: 600_000 })
  expect(String(later)).toContain('Try again in 600 s.')
  expect(seen).toHaveLength(7)
})

test('retries no other failure, even with a Retry-After', async () => {
  await expect(getJson({ url: `${server.url}/failed` })).rejects.toMatchObject({ status: 500 })
  expect(seen).toHaveLength(1)
})

test('aborts while it waits to retry', async () => {
  const controller = new AbortController()
  const waiting = getJson({ url: `${server.url}/soon`, signal: controller.signal })
  waiting.catch(() => undefined)
  await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 30_000 })
  setTimeout(() => controller.abort(), 50)
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
  expect(seen).toHaveLength(1)
})

test('suggests --app-url when a local server refuses the page', async () => {
  const page = { origin: 'http://localhost:8080' }
  const ask = (url: string) => getJson({ url }).catch((error: Error) => error.message)
  expect(await ask('http://localhost:1/x')).not.toContain('--app-url')
  vi.stubGlobal('location', page)
  try {
    expect(await ask('http://localhost:1/x')).toContain('with --app-url http://localhost:8080')
    expect(await ask('http://0.0.0.0:1/x')).not.toContain('--app-url')
  } finally {
    vi.unstubAllGlobals()
  }
})
