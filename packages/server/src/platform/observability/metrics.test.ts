import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { requestId } from '../http/requestId.ts'
import { measureRequests, metrics, onScrape, respondWithMetrics } from './metrics.ts'

const scrape = async () => (await respondWithMetrics(new Request('http://localhost/metrics'))).text()

/** Creates an app. Each test needs its own role, because all tests share one metrics registry. */
function createApp(role: string): Hono {
  const app = new Hono()
  app.onError((_, context) => context.text('sorry', 500))
  app.use('*', requestId())
  app.use('*', measureRequests(role))
  app.use('/limited/*', async (context) => context.text('later', 429))
  app.post('/v2/:apiKey', (context) => context.text('ok'))
  app.get('/limited/:id', (context) => context.text('ok'))
  app.get('/broken', () => {
    throw new TypeError('broken')
  })
  return app
}

test('counts responses by method, path pattern and status', async () => {
  const app = createApp('test-default')
  for (const key of ['key-one', 'key-two']) await app.request(`/v2/${key}?secret=x`, { method: 'POST' })
  await app.request('/broken')
  await app.request('/limited/7')
  const lines = (await scrape()).split('\n').filter((line) => line.includes('role="test-default"'))
  const requests = lines.filter((line) => line.startsWith('latchkey_requests_total'))
  const named = (method: string, route: string, status: number) =>
    `latchkey_requests_total{role="test-default",method="${method}",route="${route}",status="${status}"}`
  expect(requests).toEqual([
    `${named('POST', '/v2/:apiKey', 200)} 2`,
    `${named('GET', '/broken', 500)} 1`,
    `${named('GET', '/limited/*', 429)} 1`,
  ])
  expect(lines).toContain('latchkey_request_seconds_count{role="test-default",route="/v2/:apiKey"} 2')
})

test('uses no label that a caller makes up', async () => {
  const app = createApp('test-made-up')
  for (const path of ['/made-up-path', '/v2/made-up/more', '/broken/made-up'])
    for (const method of ['GET', 'MADEUP', 'TRACK-made-up']) await app.request(path, { method })
  const lines = (await scrape()).split('\n').filter((line) => line.includes('role="test-made-up"'))
  expect(lines.join()).not.toMatch(/made-up-path|MADEUP|TRACK|made-up\/|\/made-up/)
  expect(lines.filter((line) => line.startsWith('latchkey_requests_total'))).toHaveLength(2)
})

test('skips failing and slow reads', async () => {
  onTestFinished(onScrape(() => Promise.reject(new Error('no database'))))
  onTestFinished(
    onScrape(() => {
      throw new Error('no database')
    }),
  )
  onTestFinished(onScrape(() => new Promise<void>(() => undefined)))
  let reads = 0
  const end = onScrape(() => metrics.databaseConnections.set({ role: 'test', state: 'idle' }, ++reads))
  expect(await scrape()).toContain('latchkey_database_connections{role="test",state="idle"} 1')
  end()
  expect(await scrape()).toContain('latchkey_database_connections{role="test",state="idle"} 1')
})
