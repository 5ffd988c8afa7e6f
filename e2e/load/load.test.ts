import { setTimeout } from 'node:timers/promises'
import { findLosses } from '@latchkey/testkit/faults/findLosses'
import { type Person, send, signHash, signUp, untilIncluded } from '@latchkey/testkit/faults/person'
import { type FaultDevnet, startFaultDevnet } from '@latchkey/testkit/faults/startFaultDevnet'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Runs all flows concurrently on several instances of each role: `npm run load -- --seconds 60 --copies 2`. Prints the
 * throughput without asserting it.
 */
const seconds = Number(process.env.LATCHKEY_LOAD_SECONDS ?? 60)
const copies = Number(process.env.LATCHKEY_LOAD_COPIES ?? 2)
const flows = { 'sign-up': 2, signature: 4, 'sponsored send': 2 } as const
type Flow = keyof typeof flows
const names = Object.keys(flows) as Flow[]
/** Lifetime of the users in a long run, below the 15 minutes of a session. */
const sessionMs = 600_000
/** Maximum number of connections of a process with one role: its pool and its listeners (`docs/operate/scaling.md`). */
const mostConnections = 12
const looks = 12

let devnet: FaultDevnet
beforeAll(async () => {
  devnet = await startFaultDevnet({ copies })
})
afterAll(() => devnet?.close())

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the percentile of durations, in milliseconds. */
function percentile(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b)
  return String(Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0))
}

type Held = { name: string; megabytes: number; handles: number; connections: number }

function look(): Promise<Held[]> {
  return Promise.all(
    devnet.processes.map(async ({ name, readMetric }) => ({
      name,
      megabytes: (await readMetric('process_resident_memory_bytes')) / 2 ** 20,
      handles: await readMetric('nodejs_active_handles_total'),
      connections: await readMetric('latchkey_database_connections'),
    })),
  )
}

const print = (seen: readonly Held[]) =>
  seen
    .map(
      (held) =>
        `${held.name} ${held.megabytes.toFixed(0)} MB, ${held.handles} handles, ${held.connections} connections`,
    )
    .join('; ')

/** Compares the last quarter of a run with the second quarter. Caches and pools fill in the first quarter. */
function findGrowth(seen: readonly Held[][]): string[] {
  const quarter = Math.floor(seen.length / 4)
  return devnet.processes.flatMap(({ name }, index) => {
    const of = (what: 'megabytes' | 'handles') => {
      const values = seen.map((held) => held[index]?.[what] ?? 0)
      return { before: mean(values.slice(quarter, 2 * quarter)), after: mean(values.slice(-quarter)) }
    }
    const [memory, handles] = [of('megabytes'), of('handles')]
    const connections = Math.max(...seen.map((held) => held[index]?.connections ?? 0))
    const grown = [
      memory.after > memory.before * 1.3 + 20 && `${name}: ${memory.before} MB, then ${memory.after}`,
      handles.after > handles.before + 30 && `${name}: ${handles.before} handles, then ${handles.after}`,
      connections > mostConnections && `${name}: ${connections} connections`,
    ]
    return grown.filter((line) => line !== false)
  })
}

/** Returns the time that the database has spent on statements, in seconds. */
async function readDatabaseTime(): Promise<number> {
  const store = await devnet.database.open()
  try {
    const query = 'select active_time::float8 as ms from pg_stat_database where datname = current_database()'
    return ((await store.pool.query<{ ms: number }>(query)).rows[0]?.ms ?? 0) / 1_000
  } finally {
    await store.close()
  }
}

/** Repeats the flows until `ending` aborts, with the concurrency in `flows`. `times` are in milliseconds. */
async function startFlows(ending: AbortSignal) {
  const people: Person[] = await Promise.all(Array.from({ length: 4 }, () => signUp(devnet)))
  const times: Record<Flow, number[]> = { 'sign-up': [], signature: [], 'sponsored send': [] }
  const done = { signatures: 0 }
  const run: Record<Flow, (person: Person) => Promise<unknown>> = {
    'sign-up': () => signUp(devnet),
    async signature(person) {
      await signHash(devnet, person, hashMessage(`load ${done.signatures++}`))
    },
    async 'sponsored send'(person) {
      done.signatures++
      await untilIncluded(devnet, await send(devnet, person, done.signatures % 2 === 0 ? '0.6.0' : '0.7.0'))
    },
  }
  async function repeat(flow: Flow, first: Person): Promise<void> {
    let [person, newAt] = [first, performance.now() + sessionMs]
    while (!ending.aborted) {
      if (performance.now() > newAt) [person, newAt] = [await signUp(devnet), performance.now() + sessionMs]
      const began = performance.now()
      await run[flow](person)
      times[flow].push(performance.now() - began)
    }
  }
  const work = names.flatMap((flow) => people.slice(0, flows[flow]).map((person) => repeat(flow, person)))
  return { all: Promise.all(work), times, done }
}

test('loses nothing and leaks nothing under all flows at once', async () => {
  const ending = new AbortController()
  const { all, times, done } = await startFlows(ending.signal)
  const [began, databaseBegan, seen] = [performance.now(), await readDatabaseTime(), [await look()]]
  for (let turn = 1; turn <= looks; turn++) {
    await Promise.race([all, setTimeout((seconds * 1_000) / looks)])
    seen.push(await look())
    console.info(`${Math.round((turn * seconds) / looks)} s: ${print(seen.at(-1) ?? [])}`)
  }
  ending.abort()
  await all
  const took = (performance.now() - began) / 1_000
  const rows = names.map((name) => {
    const own = times[name]
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(own, share))
    return `${name}: ${(own.length / took).toFixed(2)}/s by ${flows[name]} at a time, ms p50 ${p50} p95 ${p95} p99 ${p99}`
  })
  const database = `database: ${((await readDatabaseTime()) - databaseBegan).toFixed(1)} s of statements in ${took.toFixed(1)} s`
  console.info([`${copies} of each role; at first: ${print(seen[0] ?? [])}`, ...rows, database].join('\n'))
  expect(await findLosses(devnet, { exports: 0, signatures: done.signatures })).toEqual([])
  expect(findGrowth(seen)).toEqual([])
  for (const way of ['signerApi', 'gateway', 'custodyFromSigner'] as const) {
    const served = devnet.ways[way].served()
    expect([way, served.length, served.filter((count) => count > 0).length]).toEqual([way, copies, copies])
  }
  const mailers = devnet.processes.filter(({ name }) => name === 'mail')
  const sent = await Promise.all(mailers.map((role) => role.readMetric('latchkey_mails_total', 'sent')))
  expect([sent.length, sent.filter((count) => count > 0).length]).toEqual([copies, copies])
})
