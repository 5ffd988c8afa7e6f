import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts, startDatabase } from 'latchkey-dev/testing'
import { median } from './median.ts'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const server = join(root, 'packages/server/dist/cli/main.js')
const rows = Number(process.env.LATCHKEY_BENCH_ROWS ?? 1_000_000)
const times = 50

/** Lists of the console, in pages of 50. */
const lists: Readonly<Record<string, string>> = {
  operations: '/operations?',
  'operations/of-project': '/operations?projectId=big&',
  'operations/failed': '/operations?projectId=small&state=failed&',
  'operations/of-account': `/operations?sender=0x${'7'.padStart(40, '0')}&`,
  'operations/oldest': '/operations?order=oldest&',
  mails: '/mails?',
  deliveries: '/projects/big/webhooks/main/deliveries?',
  log: '/log?',
  'security-events': '/security-events?',
}
const pages: Readonly<Record<string, string>> = {
  'overview/24-hours': '/overview?projectId=big&step=hour',
  'person/by-email': '/users?email=ada%40example.com',
}

/**
 * Measures the admin API's time for the console's lists over HTTP, with a million rows each: the first page, and a page
 * 5,000 rows further. The server is a separate process; its database is on disk.
 */
export const measure: Measure = async ({ log }) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-console-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  const closers: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })]
  try {
    const password = 'bench'
    const database = await startDatabase({ dataDir: join(folder, 'data'), port: await freePorts(1), password })
    closers.push(() => database.close())
    const parent = randomUUID()
    const port = await freePorts(1)
    const env = {
      ...process.env,
      DATABASE_URL: database.url,
      LATCHKEY_ROLES: 'admin',
      LATCHKEY_PORT: String(port),
      LATCHKEY_LOG_LEVEL: 'silent',
      LATCHKEY_ROOT_ORGANIZATION_ID: parent,
      LATCHKEY_OPERATOR_KEY: randomBytes(32).toString('hex'),
    }
    execFileSync(process.execPath, [server, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    log(`filling ${rows.toLocaleString('en')} rows of each list …`)
    await fill(database.url, { rows, parent, other: randomUUID() })
    const create = [server, 'operators', 'create', '--name', 'Bench', '--role', 'admin']
    const [secret = ''] = /lko_\S+/.exec(execFileSync(process.execPath, create, { env, encoding: 'utf8' })) ?? []
    const child = spawn(process.execPath, [server, 'start'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    closers.push(() => end(child))
    const url = `http://localhost:${port}`
    await untilReady(url)
    const ask = async (path: string): Promise<{ next?: string | null }> => {
      const response = await fetch(`${url}/admin/v1${path}`, { headers: { authorization: `Bearer ${secret}` } })
      if (!response.ok) throw new RequestFailed(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as { next?: string | null }
    }
    const results: Result[] = []
    for (const [name, path] of Object.entries(lists)) {
      log(`${name} …`)
      results.push(...(await time(`${name}/first`, () => ask(path))))
      const cursor = await findMiddle(ask, path)
      if (cursor !== undefined) results.push(...(await time(`${name}/middle`, () => ask(`${path}cursor=${cursor}`))))
    }
    for (const [name, path] of Object.entries(pages)) results.push(...(await time(name, () => ask(path))))
    return results
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

class RequestFailed extends Error {}

/** Pause between two requests, since the server allows an operator 1,200 reads a minute. */
const pauseMs = 50

async function time(name: string, run: () => Promise<unknown>): Promise<Result[]> {
  const took: number[] = []
  for (let count = 0; count < times; count++) {
    const began = performance.now()
    await run()
    took.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  took.sort((a, b) => a - b)
  const round = (ms: number) => Math.round(ms * 10) / 10
  return [
    { name: `${name}/p50`, value: round(median(took)), unit: 'ms' },
    { name: `${name}/p95`, value: round(took[Math.floor(times * 0.95)] ?? 0), unit: 'ms' },
  ]
}

/** Returns the cursor of a page 5,000 rows further, or of the last page; undefined for a single page. */
async function findMiddle(ask: (path: string) => Promise<{ next?: string | null }>, path: string) {
  let next: string | undefined
  for (let page = 0; page < 25; page++) {
    const found = await ask(`${path}limit=200${next === undefined ? '' : `&cursor=${next}`}`)
    if (!found.next) break
    next = found.next
  }
  return next
}

/** The part of `pg` that is used here; `pg` is a dependency of the test kit. */
type Pg = { Client: new (options: { connectionString: string }) => Client }
type Client = { connect(): Promise<void>; query(text: string): Promise<unknown>; end(): Promise<void> }

async function fill(databaseUrl: string, values: Record<string, string | number>): Promise<void> {
  const testkit = join(root, 'packages/testkit')
  const pg: Pg = createRequire(join(testkit, 'package.json'))('pg')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const text = readFileSync(join(testkit, 'src/lists.sql'), 'utf8')
    const filled = Object.entries(values).reduce(
      (sql, [name, value]) => sql.replaceAll(`:${name}`, String(value)),
      text,
    )
    for (const statement of filled.split(';\n\n')) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined)
    if (ready?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new RequestFailed('The admin API did not start.')
}

function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  return new Promise((resolve) => (child.exitCode === null ? child.once('exit', () => resolve()) : resolve()))
}
