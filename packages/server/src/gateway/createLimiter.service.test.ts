import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, type Store } from '../platform/database/openStore.ts'
import { respondWithMetrics } from '../platform/observability/metrics.ts'
import { createLimiter } from './createLimiter.ts'
import { countUnits, type GatewayLimits } from './gatewayLimits.ts'

let store: Store
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store?.close())

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

/** How many of twenty calls at once get through. */
async function countTaken(limits: Partial<GatewayLimits>, take: (limiter: createLimiter.ReturnType) => Promise<void>) {
  const limiter = createLimiter({ db: store.db, limits: { ...all, ...limits } })
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => take(limiter)))
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(refusal)
  return results.filter(({ status }) => status === 'fulfilled').length
}

test('default', async () => {
  const caller = newCaller()
  expect(await countTaken({}, (limiter) => limiter.takeCalls(caller, { calls: 1, units: 26 }))).toBe(20)
})

test.each(['requestsPerKey', 'requestsPerProject', 'unitsPerIp', 'unitsPerKey', 'unitsPerProject'] as const)(
  'param: %s',
  async (name) => {
    const caller = newCaller()
    const cost = { calls: 2, units: 2 }
    expect(await countTaken({ [name]: few }, (limiter) => limiter.takeCalls(caller, cost))).toBe(3)
    // Used up for each copy, but not for another caller.
    expect(await countTaken({ [name]: few }, (limiter) => limiter.takeCalls(caller, cost))).toBe(0)
    const other = newCaller()
    expect(await countTaken({ [name]: few }, (limiter) => limiter.takeCalls(other, cost))).toBe(3)
  },
)

test('behavior: a limit of the project is reported by its name, and counted; one of an address is not reported', async () => {
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

test('param: requestsPerIp counts requests without a valid key, too', async () => {
  expect(await countTaken({ requestsPerIp: few }, (limiter) => limiter.takeRequest('192.0.2.7'))).toBe(6)
  expect(await countTaken({ requestsPerIp: few }, (limiter) => limiter.takeRequest(undefined))).toBe(20)
})

test('behavior: the keys of a project share its limit', async () => {
  const caller = newCaller()
  const limits = { requestsPerProject: few }
  const cost = { calls: 1, units: 1 }
  expect(await countTaken(limits, (limiter) => limiter.takeCalls(caller, cost))).toBe(6)
  expect(await countTaken(limits, (limiter) => limiter.takeCalls({ ...caller, keyId: 'second' }, cost))).toBe(0)
})

test.each(['requestsPerKey', 'unitsPerIp', 'unitsPerProject'] as const)(
  'two copies at once give no more than %s, and no less but what they hold',
  async (name) => {
    const caller = newCaller()
    // Shares of five: a copy that stops takes less than one with it.
    const limits = { ...all, [name]: { limit: 300, windowMs: 1_000 * hour } }
    async function runCopy(): Promise<number> {
      const own = await openStore({ databaseUrl: store.databaseUrl })
      const limiter = createLimiter({ db: own.db, limits })
      let taken = 0
      const calls = Array.from({ length: 400 }, () =>
        limiter.takeCalls(caller, { calls: 1, units: 3 }).then(
          () => taken++,
          () => undefined,
        ),
      )
      await Promise.all(calls)
      await own.close()
      return taken
    }
    const [one, other] = await Promise.all([runCopy(), runCopy()])
    const most = name.startsWith('units') ? 100 : 300
    expect(one + other).toBeLessThanOrEqual(most)
    expect(one + other).toBeGreaterThanOrEqual(most - 10)
  },
)

test('behavior: each method has its cost, an unknown one too', () => {
  expect(countUnits([{ method: 'eth_chainId' }, { method: 'eth_call' }], 50_000_000n)).toBe(1 + 68)
  expect(countUnits([{ method: 'none' }, 'nonsense', { method: 'toString' }, { method: 7 }], 50_000_000n)).toBe(80)
})
