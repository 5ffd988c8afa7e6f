import { startTestStore } from '@latchkey/testkit/database'
import { startPortForwarder } from '@latchkey/testkit/faults/startPortForwarder'
import pg from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Logger } from '../observability/logger.ts'
import { addJob } from './jobs.ts'
import type { Store } from './openStore.ts'
import { startJobs } from './startJobs.ts'

const started: startJobs.ReturnType[] = []
const store = await startTestStore()
afterEach(async () => {
  for (const jobs of started.splice(0)) await jobs.close()
  // Deletes failed jobs, which the next test would otherwise retry.
  await store.pool.query('delete from latchkey_jobs._private_jobs')
})
afterAll(() => store.close())

const logs: string[] = []
const keep = (fields: Record<string, unknown>, message: string) =>
  void logs.push(`${message} ${JSON.stringify(fields)}`)
const logger: Logger = { info: keep, warn: keep, error: keep }

async function start(mail: (payload: { id: string }) => Promise<void>, from: Pick<Store, 'sessions'> = store) {
  started.push(startJobs({ store: from, logger, tasks: { mail }, pollMs: 100 }))
}
async function startNoting(from?: Pick<Store, 'sessions'>): Promise<string[]> {
  const done: string[] = []
  await start(async ({ id }) => void done.push(id), from)
  return done
}
const add = (id: string, db = store.db) => addJob(db, { name: 'mail', payload: { id } })

test('starts a job when its transaction commits and drops it on rollback', async () => {
  const done = await startNoting()
  // The queue stores a job's name with its first job. Until that transaction commits, other jobs with the same name
  // wait for it.
  await add('first')
  await expect.poll(() => done).toEqual(['first'])
  const failing = store.db.transaction().execute(async (db) => {
    await add('lost', db)
    throw new TypeError('something else')
  })
  await expect(failing).rejects.toThrow('something else')
  await store.db.transaction().execute(async (db) => {
    await add('early', db)
    await add('meanwhile')
    await expect.poll(() => done).toEqual(['first', 'meanwhile'])
  })
  await expect.poll(() => done).toEqual(['first', 'meanwhile', 'early'])
})

test('runs only the last of the waiting jobs with one key, after its delay', async () => {
  const done: string[] = []
  const soon = new Date(Date.now() + 400)
  for (const id of ['first', 'second'])
    await addJob(store.db, { name: 'mail', payload: { id }, inMs: 400, key: 'same' })
  await start(async ({ id }) => {
    expect(Date.now()).toBeGreaterThanOrEqual(soon.getTime())
    done.push(id)
  })
  await expect.poll(() => done).toEqual(['second'])
})

test('runs each job once among several copies', async () => {
  const lists = await Promise.all([startNoting(), startNoting(), startNoting()])
  const ids = Array.from({ length: 40 }, (_, index) => String(index).padStart(2, '0'))
  await Promise.all(ids.map((id) => add(id)))
  await expect.poll(() => lists.flat().sort()).toEqual(ids)
})

test('finishes the running job before it closes', async () => {
  let ended = false
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  await start(async () => {
    begin()
    await new Promise((resolve) => setTimeout(resolve, 200))
    ended = true
  })
  await add('slow')
  await begun
  await started.pop()?.close()
  expect(ended).toBe(true)
})

test('retries a failed job later and logs no payload', async () => {
  let tries = 0
  await start(async () => {
    tries++
    throw new TypeError('not today')
  })
  await add('secret-id')
  await expect.poll(() => tries).toBe(1)
  await started.pop()?.close()
  const { rows } = await store.pool.query(
    "select attempts, run_at > created_at + interval '1 second' as later from latchkey_jobs._private_jobs where payload->>'id' = 'secret-id'",
  )
  expect(rows).toEqual([{ attempts: 1, later: true }])
  expect(logs.join('\n')).toContain('not today')
  expect(logs.join('\n')).not.toContain('secret-id')
})

test('runs jobs after the database returns, even if it was unreachable at the start', async () => {
  const { port, pathname, username, password } = new URL(store.databaseUrl)
  const closed = await startPortForwarder(0)
  await closed.close()
  const way = await startPortForwarder(closed.port)
  const sessions = new pg.Pool({
    connectionString: `postgres://${username}:${password}@127.0.0.1:${String(way.port)}${pathname}`,
  })
  sessions.on('error', () => undefined)
  const done = await startNoting({ sessions })
  await add('early')
  await expect.poll(() => logs.join('\n')).toContain('lost the database and are started again')
  expect(done).toEqual([])
  way.leadTo(Number(port))
  await expect.poll(() => done).toEqual(['early'])
  await started.pop()?.close()
  await sessions.end()
  await way.close()
})
