import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Endpoints } from '../../types.ts'

import { createClock } from './createClock.ts'
import { activity, createCustodyApi } from './createCustodyApi.ts'
import { type Confirmations, createPending } from './createPending.ts'

let server: Listening
let seen: { path: string; stamp: string | undefined; body: Record<string, unknown> }[]
/** Responses in order; the last one repeats. */
let responses: { status?: number; body: unknown }[]
/** Responses to requests that resend the confirmation e-mail. */
let resent: { status?: number; body: unknown } | undefined

// With fake timers, loading this chunk would hang.
beforeAll(() => import('./waitForConfirmation.ts'))
beforeEach(async () => {
  seen = []
  resent = undefined
  server = await listen(async (request, response) => {
    const stamp = request.headers['x-stamp']?.toString()
    seen.push({ path: request.url ?? '', stamp, body: JSON.parse(await readBody(request)) })
    const isResend = request.url === '/public/v1/resend_confirmation'
    const next = (isResend && resent) || (responses.length > 1 ? responses.shift() : responses[0]) || { body: {} }
    response.writeHead(next.status ?? 200).end(JSON.stringify(next.body))
  })
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await server.close()
})

const confirmations: Confirmations = createPending()
const api = () => {
  const config = { custodyUrl: server.url, authFrameUrl: '', exportFrameUrl: '', importFrameUrl: '', rootOrgId: '' }
  const endpoints: Endpoints = { signerApiUrl: server.url, getConfig: async () => config }
  return createCustodyApi({ endpoints, clock: createClock(() => 5), confirmations })
}
const stamp = async (body: string) => ({ stampHeaderName: 'X-Stamp', stampHeaderValue: `of ${body.length}` })
const call = activity('deleteApiKeys', 'org', { apiKeyIds: ['a'] })
const at = (status: string, result = {}) => ({
  body: { activity: { id: 'id', organizationId: 'org', status: `ACTIVITY_STATUS_${status}`, result } },
})
/** Advances the fake clock only while no request is pending, so that no request times out. */
async function hurry<value>(run: () => Promise<value>): Promise<value | Error> {
  let underWay = 0
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((...request) => {
    underWay++
    return fetch(...request).finally(() => underWay--)
  })
  let done = false
  const ended = run()
    .catch((error: Error) => error)
    .finally(() => {
      done = true
    })
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve))
    if (underWay === 0) vi.advanceTimersByTime(25)
  }
  return ended
}

test('sends an activity in the documented member order and returns its result', async () => {
  responses = [at('COMPLETED', { deleteApiKeysResult: { apiKeyIds: ['a'] } })]
  expect(await api().submit(call, stamp)).toEqual({ apiKeyIds: ['a'] })
  expect(call.body(5)).toBe(
    '{"organizationId":"org","type":"ACTIVITY_TYPE_DELETE_API_KEYS","timestampMs":"5","parameters":{"apiKeyIds":["a"]}}',
  )
  expect(seen).toEqual([
    { path: '/public/v1/submit/delete_api_keys', stamp: `of ${call.body(5).length}`, body: JSON.parse(call.body(5)) },
  ])
})

test('sends no stamp for null', async () => {
  responses = [at('COMPLETED')]
  await api().submit(call, null)
  expect(seen[0]?.stamp).toBeUndefined()
})

test('stamps every parallel request by its own body', async () => {
  responses = [{ body: { ok: true } }]
  await Promise.all([1, 22, 333].map((n) => api().query('/x', { n }, stamp)))
  expect(seen.map((request) => request.stamp).sort()).toEqual(['of 7', 'of 8', 'of 9'])
})

test('polls a pending activity every 500 ms', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  responses = [at('PENDING'), at('PENDING'), at('PENDING'), at('COMPLETED', { deleteApiKeysResult: { apiKeyIds: [] } })]
  const { setTimeout } = globalThis
  const waits: number[] = []
  globalThis.setTimeout = ((act: () => void, ms = 0) => {
    waits.push(ms)
    return setTimeout(act, ms)
  }) as typeof setTimeout
  await hurry(() => api().submit(call, stamp))
  globalThis.setTimeout = setTimeout
  expect(seen.map(({ path }) => path.split('/').at(-1))).toEqual(['delete_api_keys', ...Array(3).fill('get_activity')])
  // Polls wait 500 ms. Requests use other timers.
  expect(waits.filter((ms) => ms === 500)).toHaveLength(3)
})

test('stops polling an activity that never ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  responses = [at('PENDING')]
  expect(await hurry(() => api().submit(call, stamp))).toMatchObject({
    shortMessage: 'Failed to get activity with id id (status: ACTIVITY_STATUS_PENDING)',
  })
  expect(seen).toHaveLength(61)
})

const waiting = () => {
  const { body } = at('PENDING')
  return { body: { activity: { ...body.activity, confirmation: { by: 'mail', expiresAtMs: '1' } } } }
}

test('repeats the same stamped request while the user is asked by mail', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  responses = [waiting(), waiting(), waiting(), at('COMPLETED', { deleteApiKeysResult: { apiKeyIds: ['a'] } })]
  let stamps = 0
  const once = async (body: string) => ({ ...(await stamp(body)), stampHeaderValue: `stamp ${++stamps}` })
  expect(await hurry(() => api().submit(call, once))).toEqual({ apiKeyIds: ['a'] })
  expect(seen.map(({ path, stamp }) => [path, stamp])).toEqual(Array(4).fill([call.path, 'stamp 1']))
  expect(new Set(seen.map(({ body }) => JSON.stringify(body))).size).toBe(1)
})

const refusedWith = (status: number, code = 14) => ({ status, body: { code, message: 'Later.', details: null } })

test('keeps waiting while the service is busy or restarts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  responses = [
    waiting(),
    refusedWith(429, 8),
    refusedWith(503),
    { status: 502, body: 'Bad Gateway' },
    waiting(),
    at('COMPLETED', { deleteApiKeysResult: { apiKeyIds: ['a'] } }),
  ]
  expect(await hurry(() => api().submit(call, stamp))).toEqual({ apiKeyIds: ['a'] })
  expect(seen).toHaveLength(6)
})

test('stops waiting after a minute of failures, or after a refusal', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  responses = [waiting(), refusedWith(503)]
  expect(await hurry(() => api().submit(call, stamp))).toMatchObject({ status: 503 })
  expect(seen).toHaveLength(14)
  vi.restoreAllMocks()
  seen = []
  responses = [waiting(), refusedWith(403, 7)]
  expect(await hurry(() => api().submit(call, stamp))).toMatchObject({ status: 403 })
  expect(seen).toHaveLength(2)
  expect(confirmations.current()).toBeNull()
})

test('reports the wait, which can be cancelled', async () => {
  responses = [waiting()]
  const seenTexts: (string | undefined)[] = []
  confirmations.follow(() => seenTexts.push(confirmations.current()?.text))
  const ended = api().submit(call, stamp)
  ended.catch(() => undefined)
  await vi.waitFor(() => expect(confirmations.current()?.expiresAtMs).toBe(1), { timeout: 30_000 })
  confirmations.current()?.cancel()
  await expect(ended).rejects.toMatchObject({ code: 'ABORTED' })
  expect(seenTexts).toEqual(['Check your email to confirm', undefined])
  const sent = seen.length
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(seen).toHaveLength(sent)
})

test('resends the mail by the same request and waits for a new address next', async () => {
  const { body } = waiting()
  const to = (address: string) => {
    const confirmation = { by: 'mail', expiresAtMs: '1', to: address, action: 'change-email' }
    return { body: { activity: { ...body.activity, confirmation } } }
  }
  responses = [to('old@example.com')]
  let stamps = 0
  const once = async (body: string) => ({ ...(await stamp(body)), stampHeaderValue: `stamp ${++stamps}` })
  const ended = api().submit(call, once)
  ended.catch(() => undefined)
  const shows = (address: string) =>
    vi.waitFor(() => expect(confirmations.current()?.to).toBe(address), { timeout: 30_000 })
  await shows('old@example.com')
  const first = confirmations.current()
  await first?.resend()
  const sent = seen.find(({ path }) => path === '/public/v1/resend_confirmation')
  expect(sent).toEqual({ path: sent?.path, stamp: 'stamp 1', body: seen[0]?.body })
  responses = [to('new@example.com')]
  await shows('new@example.com')
  expect(confirmations.current()).toMatchObject({ action: 'change-email' })
  resent = { status: 429, body: { code: 8, message: 'Too many mails.', details: null } }
  await expect(confirmations.current()?.resend()).rejects.toMatchObject({
    shortMessage: expect.stringContaining('Too many'),
  })
  confirmations.current()?.cancel()
  await expect(ended).rejects.toMatchObject({ code: 'ABORTED' })
  expect(confirmations.current()).toBeNull()
})

test('reports a refused or expired confirmation', async () => {
  for (const [status, code] of [
    ['REJECTED', 'CONFIRMATION_REFUSED'],
    ['FAILED', 'CONFIRMATION_EXPIRED'],
  ] as const) {
    const { body } = at(status)
    const failure = { code: 7, message: 'It was not confirmed.', details: [{ turnkeyErrorCode: code }] }
    responses = [waiting(), { body: { activity: { ...body.activity, failure } } }]
    await expect(api().submit(call, stamp)).rejects.toMatchObject({ code, metaMessages: ['It was not confirmed.'] })
  }
})

test.each([
  ['the person is asked', waiting()],
  ['it waits for the next poll', at('PENDING')],
])('stops when the person signs out while %s', async (_, answer) => {
  responses = [answer]
  const controller = new AbortController()
  const ended = api().submit(call, stamp, controller.signal)
  ended.catch(() => undefined)
  await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 30_000 })
  controller.abort()
  await expect(ended).rejects.toMatchObject({ code: 'ABORTED' })
  expect(seen).toHaveLength(1)
})
