import { setTimeout } from 'node:timers/promises'
import { findLosses } from '@latchkey/testkit/faults/findLosses'
import { type Person, send, signHash, signUp, untilIncluded } from '@latchkey/testkit/faults/person'
import { type FaultWorld, startFaultWorld } from '@latchkey/testkit/faults/startFaultWorld'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * One copy of each role under every flow at once: `npm run load -- --seconds 60`. Figures are printed, not asserted; what is
 * asserted is that nothing was lost. For memory, handles and connections over time give it twenty minutes.
 */
const seconds = Number(process.env.LATCHKEY_LOAD_SECONDS ?? 10)
const flows = { 'sign-up': 2, signature: 4, 'sponsored send': 2 } as const
type Flow = keyof typeof flows

let world: FaultWorld
beforeAll(async () => {
  world = await startFaultWorld()
})
afterAll(() => world?.close())

/** Milliseconds below which `share` of them are. */
function percentile(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b)
  return String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0))
}

/** What the processes hold, and how long the database has worked. */
async function look(): Promise<string> {
  const lines = await Promise.all(
    Object.values(world.roles).map(async (role) => {
      const megabytes = (await role.readMetric('process_resident_memory_bytes')) / 2 ** 20
      const handles = await role.readMetric('nodejs_active_handles_total')
      const connections = await role.readMetric('latchkey_database_connections')
      return `${role.name} ${megabytes.toFixed(0)} MB, ${String(handles)} handles, ${String(connections)} connections`
    }),
  )
  return lines.join('; ')
}

async function readDatabaseTime(): Promise<number> {
  const store = await world.database.open()
  try {
    const query = 'select active_time::float8 as ms from pg_stat_database where datname = current_database()'
    return (await store.pool.query<{ ms: number }>(query)).rows[0]?.ms ?? 0
  } finally {
    await store.close()
  }
}

test('default: nothing is lost under every flow at once', async () => {
  const people: Person[] = await Promise.all(Array.from({ length: 4 }, () => signUp(world)))
  const times: Record<Flow, number[]> = { 'sign-up': [], signature: [], 'sponsored send': [] }
  const ending = new AbortController()
  let signatures = 0
  const run: Record<Flow, (person: Person) => Promise<unknown>> = {
    'sign-up': () => signUp(world),
    async signature(person) {
      await signHash(world, person, hashMessage(`load ${String(signatures++)}`))
    },
    async 'sponsored send'(person) {
      signatures++
      await untilIncluded(world, await send(world, person, signatures % 2 === 0 ? '0.6.0' : '0.7.0'))
    },
  }
  async function repeat(flow: Flow, person: Person): Promise<void> {
    while (!ending.signal.aborted) {
      const began = performance.now()
      await run[flow](person)
      times[flow].push(performance.now() - began)
    }
  }
  const names: Flow[] = ['sign-up', 'signature', 'sponsored send']
  const [began, databaseBegan, atFirst] = [performance.now(), await readDatabaseTime(), await look()]
  const work = names.flatMap((flow) => people.slice(0, flows[flow]).map((person) => repeat(flow, person)))
  const all = Promise.all(work)
  const slice = Math.min(seconds, 60)
  for (let passed = 0; passed < seconds; passed += slice) {
    await Promise.race([all, setTimeout(slice * 1_000)])
    console.info(`${String(passed + slice)} s: ${await look()}`)
  }
  ending.abort()
  await all
  const took = (performance.now() - began) / 1_000
  const databaseTook = ((await readDatabaseTime()) - databaseBegan) / 1_000
  const rows = names.map((name) => {
    const own = times[name]
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(own, share))
    return `${name}: ${(own.length / took).toFixed(2)}/s by ${String(flows[name])} at a time, ms p50 ${String(p50)} p95 ${String(p95)} p99 ${String(p99)}`
  })
  const database = `database: ${databaseTook.toFixed(1)} s of statements in ${took.toFixed(1)} s`
  console.info([`at first: ${atFirst}`, ...rows, database].join('\n'))
  expect(await findLosses(world, { exports: 0, signatures })).toEqual([])
})
