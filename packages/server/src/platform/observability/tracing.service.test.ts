import { randomBytes, randomUUID } from 'node:crypto'
import { setEnvironment } from '@latchkey/testkit/setEnvironment'
import { createTestFrame, startTestSignerApi } from '@latchkey/testkit/signerApi'
import { type CollectedSpan, startTraceCollector } from '@latchkey/testkit/traceCollector'
import { afterAll, expect, test } from 'vitest'
import { ServerError } from '../errors/ServerError.ts'
import { inSpan, startTracing } from './tracing.ts'

let restore: () => void
const collector = await startTraceCollector()
restore = setEnvironment({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  // The spans are sent at the end.
  OTEL_BSP_SCHEDULE_DELAY: '60000',
})
const api = await startTestSignerApi()
afterAll(async () => {
  await api.close()
  restore?.()
  await collector.close()
})

async function trace(run: () => Promise<unknown>): Promise<CollectedSpan[]> {
  const before = collector.spans.length
  const end = await startTracing()
  try {
    await run()
  } finally {
    await end()
  }
  return collector.spans.slice(before)
}

const read = ({ attributes }: CollectedSpan, key: string) => {
  const [value] = Object.values(attributes.find((each) => each.key === key)?.value ?? {})
  return value
}

test('traces one request through page, signer API, custody, database and mail', async () => {
  const traceId = randomBytes(16).toString('hex')
  const pageSpan = randomBytes(8).toString('hex')
  const email = `${randomUUID()}@people.example`
  const { targetPublicKey } = await createTestFrame()
  const spans = await trace(async () => {
    // The page's unsampled flag must be ignored.
    const headers = { traceparent: `00-${traceId}-${pageSpan}-00` }
    const { status, headers: replied } = await api.post('signup', { email, targetPublicKey }, headers)
    expect(status).toBe(200)
    expect(replied.get('x-request-id')).toBeTruthy()
    await expect.poll(() => api.inbox.messages({ to: email }).length).toBe(1)
  })
  const ours = spans.filter((span) => span.traceId === traceId)
  const request = ours.find((span) => read(span, 'latchkey.role') === 'signer-api')
  expect(request).toMatchObject({ parentSpanId: pageSpan, kind: 2, name: 'POST signer-api' })
  expect(request && read(request, 'http.route')).toContain('signup')
  const calls = ours.filter((span) => span.name === 'custody')
  expect(calls.map((span) => span.parentSpanId)).toEqual([request?.spanId, request?.spanId])
  const custody = ours.filter((span) => read(span, 'latchkey.role') === 'custody')
  expect(custody.map((span) => span.parentSpanId).sort()).toEqual(calls.map((span) => span.spanId).sort())
  for (const span of custody)
    expect(read(span, 'latchkey.request_id')).toBe(request && read(request, 'latchkey.request_id'))
  const statements = ours.filter((span) => span.name === 'postgresql')
  const operations = new Set(statements.map((span) => read(span, 'db.operation.name')))
  expect([...operations]).toEqual(expect.arrayContaining(['SELECT', 'INSERT']))
  const job = spans.find((span) => span.name === 'job mail')
  expect(spans.find((span) => span.name === 'smtp')).toMatchObject({ traceId: job?.traceId, parentSpanId: job?.spanId })
  for (const secret of [email, 'test-api-key', targetPublicKey, api.readCode(email)])
    expect(collector.text()).not.toContain(secret)
})

test('records a failure by its code only', async () => {
  const fail = (error: Error) => inSpan('failing', {}, () => Promise.reject(error)).catch(() => undefined)
  const spans = await trace(async () => {
    await fail(new ServerError('secret words', { code: 'NODE_UNREACHABLE', status: 502 }))
    await fail(new TypeError('secret words'))
  })
  expect(spans.map((span) => [read(span, 'error.type'), span.status])).toEqual([
    ['NODE_UNREACHABLE', { code: 2 }],
    ['unexpected', { code: 2 }],
  ])
  expect(collector.text()).not.toContain('secret words')
})

test('starts a new trace for an invalid traceparent and records parts only within a whole', async () => {
  const spans = await trace(async () => {
    const invalid = [`00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, `00-${'g'.repeat(32)}-${'1'.repeat(16)}-01`]
    for (const traceparent of ['', 'x', ...invalid])
      await inSpan('whole', { traceparent }, () => inSpan('part', { isPart: true }, async () => undefined))
    await inSpan('part', { isPart: true }, async () => undefined)
  })
  const wholes = spans.filter((span) => span.name === 'whole')
  expect(wholes.map((span) => span.parentSpanId ?? '')).toEqual(['', '', '', ''])
  expect(new Set(wholes.map((span) => span.traceId)).size).toBe(4)
  const parts = spans.filter((span) => span.name === 'part')
  expect(parts.map((span) => span.parentSpanId).sort()).toEqual(wholes.map((span) => span.spanId).sort())
})

test('sends nothing about the machine, its user and its arguments', () => {
  expect(collector.text()).toContain('"latchkey-server"')
  expect(collector.text()).not.toMatch(/host\.name|process\.(?!runtime)|command/)
})
