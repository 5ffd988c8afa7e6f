import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { respondWithMetrics } from '../platform/observability/metrics.ts'
import { createLimiter } from './createLimiter.ts'
import { countUnits, type GatewayLimits } from './gatewayLimits.ts'

const store = await startTestStore()
afterAll(() => store.close())

const hour = 3_600_000
const wide = { limit: 1_000_000, windowMs: hour }
const few = { limit: 6, windowMs: hour }
const all: GatewayLimits = {
  requestsPerIp: wide,
  requestsPerKey: wide,
  requestsPerProject: wide,
  unitsPerIp: wide,
  unitsPerKey: wide,
  unitsPerProject: wide,
}
let callers = 0
const newCaller = () => ({ projectId: `project-${++callers}`, keyId: `key-${callers}`, ip: `10.0.0.${callers}` })
const refusal = { code: 'RATE_LIMIT_EXCEEDED', status: 429, retryAfterMs: expect.any(Number) }

async function countTaken(limits: Partial<GatewayLimits>, take: (limiter: createLimiter.ReturnType) => Promise<void>) {
  const limiter = createLimiter({ db: store.db, limits: { ...all, ...limits } })
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => take(limiter)))
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(refusal)
  return results.filter(({ status }) => status === 'fulfilled').length
}

test('passes calls within the limits', async () => {
  const caller = newCaller()
  expect(await countTaken({}, (limiter) => limiter.takeCalls(caller, { calls: 1, units: 26 }))).toBe(20)
})

test.each(['requestsPerKey', 'requestsPerProject', 'unitsPerIp', 'unitsPerKey', 'unitsPerProject'] as const)(
  'limits by %s',
  async (name) => {
    const caller = newCaller()
    const cost = { calls: 2, units: 2 }
    expect(await countTaken({ [name]: few }, (limiter) => limiter.takeCalls(caller, cost))).toBe(3)
    expect(await countTaken({ [name]: few }, (limiter) => limiter.takeCalls(caller, cost))).toBe(0)
    const other = newCaller()
    expect(await countTaken({ [name]: few }, (limiter) => limiter.takeCalls(other, cost))).toBe(3)
  },
)

test('counts limits and reports those of the project', async () => {
  const hits: object[] = []
  const scrape = async () => (await respondWithMetrics(new Request('http://localhost/metrics'))).text()
  const read = async (name: string) =>
    Number(new RegExp(`limits_hit_total\\{limit="gateway.${name}"\\} (\\d+)`).exec(await scrape())?.[1] ?? 0)
  const onHit = (hit: object) => void hits.push(hit)
  for (const name of ['unitsPerKey', 'unitsPerIp'] as const) {
    const before = await read(name)
    const caller = newCaller()
    const limiter = createLimiter({ db: store.db, onHit, limits: { ...all, [name]: { limit: 1, windowMs: hour } } })
    await limiter.takeCalls(caller, { calls: 1, units: 1 })
    await expect(limiter.takeCalls(caller, { calls: 1, units: 1 })).rejects.toMatchObject(refusal)
    expect(await read(name)).toBe(before + 1)
  }
  expect(hits).toEqual([{ limit: 'gateway.unitsPerKey', projectId: expect.stringMatching(/^project-/) }])
})

test('counts requests without a valid key by requestsPerIp', async () => {
  expect(await countTaken({ requestsPerIp: few }, (limiter) => limiter.takeRequest('192.0.2.7'))).toBe(6)
  expect(await countTaken({ requestsPerIp: few }, (limiter) => limiter.takeRequest(undefined))).toBe(20)
})

test("shares a project's limit among its keys", async () => {
  const caller = newCaller()
  const limits = { requestsPerProject: few }
  const cost = { calls: 1, units: 1 }
  expect(await countTaken(limits, (limiter) => limiter.takeCalls(caller, cost))).toBe(6)
  expect(await countTaken(limits, (limiter) => limiter.takeCalls({ ...caller, keyId: 'second' }, cost))).toBe(0)
})

test('costs every method, including unknown ones', () => {
  expect(countUnits([{ method: 'eth_chainId' }, { method: 'eth_call' }], 50_000_000n)).toBe(1 + 68)
  expect(countUnits([{ method: 'none' }, 'nonsense', { method: 'toString' }, { method: 7 }], 50_000_000n)).toBe(80)
})
