import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startTestDatabase } from '@latchkey/testkit/database'
import { joinProgram } from '@latchkey/testkit/run/joinProgram'
import { startWebhookReceiver, type WebhookReceiver } from '@latchkey/testkit/webhookReceiver'
import { sql } from 'kysely'
import { verifyWebhook } from 'latchkey/webhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../../dev/src/world/freePorts.ts'
import { run } from '../cli/run.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { queueWebhooks } from '../store/webhookOutbox.ts'

// The role in processes of its own, which share nothing but the database.

const settings = { id: 'hooked', name: 'App', apiKey: 'hooked-api-key', redirectUrls: [], allowedOrigins: [] }

type Copy = { child: ChildProcess; delivered(): number }

let receiver: WebhookReceiver
let store: Store
let folder: string
let environment: Record<string, string>
let closeDatabase: () => Promise<void>
const copies: Copy[] = []
beforeAll(async () => {
  receiver = await startWebhookReceiver({ takesMs: 50 })
  const database = await startTestDatabase({ migrated: true })
  closeDatabase = database.close
  store = await openStore({ databaseUrl: database.url })
  folder = await mkdtemp(join(tmpdir(), 'latchkey-webhooks-'))
  const secret = 'LATCHKEY_WEBHOOK_SECRET_APP'
  const projects = [{ ...settings, webhooks: [{ id: 'main', url: receiver.url, events: ['limit.hit'], secret }] }]
  await writeFile(join(folder, 'projects.json'), JSON.stringify(projects))
  await writeFile(join(folder, 'secret'), receiver.secret)
  environment = {
    DATABASE_URL: database.url,
    LATCHKEY_MODE: 'development',
    LATCHKEY_ROLES: 'webhooks',
    LATCHKEY_DRAIN_SECONDS: '0',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_PROJECTS_FILE: join(folder, 'projects.json'),
    // As secret stores mount it.
    LATCHKEY_WEBHOOK_SECRET_APP_FILE: join(folder, 'secret'),
  }
  copies.push(...(await Promise.all([startCopy(), startCopy()])))
})
afterAll(async () => {
  for (const { child } of copies) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await store?.close()
  await closeDatabase?.()
  await receiver?.close()
  await rm(folder, { recursive: true, force: true })
})

async function startCopy(): Promise<Copy> {
  const env = { ...environment, LATCHKEY_PORT: String(await freePorts(1)) }
  const child = spawn(process.execPath, [await joinProgram('server'), 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  let delivered = 0
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new TypeError(`The server ended with exit code ${code}.`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { msg } = JSON.parse(line) as { msg: string }
      if (msg === 'Ready') resolve()
      if (msg === 'Webhook delivered') delivered++
    })
  })
  return { child, delivered: () => delivered }
}

async function queue(count: number): Promise<void> {
  const [project] = [{ id: 'hooked', webhooks: [{ id: 'main', url: '', events: ['limit.hit' as const], secret: '' }] }]
  const news = Array.from({ length: count }, () => ({
    type: 'limit.hit' as const,
    once: randomUUID(),
    data: { limit: 'x', policyId: null },
  }))
  await queueWebhooks(store.db, [project], news)
}

async function command(...words: string[]) {
  let text = ''
  const print = (line: string) => {
    text += line
  }
  const stop = new AbortController().signal
  const code = await run({ arguments: [...words, '--json'], environment, print, stop })
  return { code, ...JSON.parse(text) }
}

const received = async () =>
  Promise.all(receiver.received.map(async (one) => (await verifyWebhook({ ...one, secret: receiver.secret })).id))
const countQueued = async () =>
  (await store.db.selectFrom('webhook_outbox').select('id').where('state', '=', 'queued').execute()).length

test('default: two processes share the work, and none is sent by both', async () => {
  let asked = 0
  const isIdle = () => copies.some((copy) => copy.delivered() === 0)
  for (let round = 0; round < 10 && (round === 0 || isIdle()); round++) {
    await queue(40)
    asked += 40
    await expect.poll(countQueued, { timeout: 60_000 }).toBe(0)
  }
  // What a copy has logged is read a little later than what it has noted.
  await expect.poll(isIdle).toBe(false)
  const ids = await received()
  expect([ids.length, new Set(ids).size, receiver.mostAtOnce()]).toEqual([asked, asked, 1])
})

test('behavior: what a killed process held is sent by another, with the same id', async () => {
  const [first] = copies
  receiver.received.length = 0
  await queue(40)
  await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBeGreaterThan(4)
  first?.child.kill('SIGKILL')
  if (first) await once(first.child, 'exit')
  // Its claims are over a minute later.
  await expect
    .poll(
      async () => {
        await sql`update webhook_outbox set next_try_at = now() where state = 'queued' and tries > 0
          and updated_at < now() - interval '1 second'`.execute(store.db)
        return countQueued()
      },
      { timeout: 60_000 },
    )
    .toBe(0)
  // A receiver drops what it has seen.
  expect(new Set(await received()).size).toBe(40)
})

test('behavior: an operator lists and replays', async () => {
  receiver.received.length = 0
  const { result } = await command('webhooks', 'list', '--state', 'delivered', '--limit', '2')
  expect(result.webhooks).toHaveLength(2)
  const [{ id }] = result.webhooks
  expect(result.webhooks[0]).toMatchObject({ projectId: 'hooked', endpoint: 'main', type: 'limit.hit', failure: null })
  expect(await command('webhooks', 'replay', id)).toMatchObject({ code: 0, result: { replayed: 1 } })
  // One that was made due twice above may come, too.
  await expect.poll(received).toContain(id)
  expect(await command('webhooks', 'replay', '--dead')).toMatchObject({ code: 0, result: { replayed: 0 } })
  expect(await command('webhooks', 'replay', randomUUID())).toMatchObject({ code: 1, ok: false })
  expect(await command('webhooks', 'replay')).toMatchObject({ code: 1, error: { code: 'CONFIG_INVALID' } })
  const [, second] = copies
  second?.child.kill('SIGTERM')
  expect(second && (await once(second.child, 'exit'))).toEqual([0, null])
})
