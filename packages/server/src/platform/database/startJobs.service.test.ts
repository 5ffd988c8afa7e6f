import { startTestStore } from '@latchkey/testkit/database'
import { startWay } from '@latchkey/testkit/faults/startReplicatedDatabase'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Logger } from '../observability/logger.ts'
import { addJob } from './jobs.ts'
import type { Store } from './openStore.ts'
import { startJobs } from './startJobs.ts'

let store: Store
const started: startJobs.ReturnType[] = []
beforeAll(async () => {
  store = await startTestStore()
})
afterEach(async () => {
  for (const jobs of started.splice(0)) await jobs.close()
  // A job that failed would be tried again by the next test.
  await store.pool.query('delete from latchkey_jobs._private_jobs')
})
afterAll(async () => {
  await store.close()
})

const logs: string[] = []
const keep = (fields: Record<string, unknown>, message: string) => {
  logs.push(`${message} ${JSON.stringify(fields)}`)
}
const logger: Logger = { info: keep, warn: keep, error: keep }

async function start(mail: (payload: { id: string }) => Promise<void>, from: Pick<Store, 'sessions'> = store) {
  started.push(startJobs({ store: from, logger, tasks: { mail }, pollMs: 100 }))
}

test('default', async () => {
  const done: string[] = []
  await start(async ({ id }) => {
    done.push(id)
  })
  await addJob(store.db, { name: 'mail', payload: { id: 'one' } })
  await expect.poll(() => done).toEqual(['one'])
})

test('behavior: a job of a transaction starts when that commits, and never if it does not', async () => {
  const done: string[] = []
  await start(async ({ id }) => {
    done.push(id)
  })
  const failing = store.db.transaction().execute(async (db) => {
    await addJob(db, { name: 'mail', payload: { id: 'lost' } })
    throw new TypeError('something else')
  })
  await expect(failing).rejects.toThrow('something else')
  await store.db.transaction().execute(async (db) => {
    await addJob(db, { name: 'mail', payload: { id: 'early' } })
    await addJob(store.db, { name: 'mail', payload: { id: 'meanwhile' } })
    await expect.poll(() => done).toEqual(['meanwhile'])
  })
  await expect.poll(() => done).toEqual(['meanwhile', 'early'])
})

test('param: inMs and key: later, and only the last of those that wait', async () => {
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

test('behavior: several copies, each job once', async () => {
  const done: string[] = []
  for (let copy = 0; copy < 3; copy++)
    await start(async ({ id }) => {
      done.push(id)
    })
  const ids = Array.from({ length: 40 }, (_, index) => String(index).padStart(2, '0'))
  await Promise.all(ids.map((id) => addJob(store.db, { name: 'mail', payload: { id } })))
  await expect.poll(() => [...done].sort()).toEqual(ids)
})

test('behavior: closing waits for what is under way', async () => {
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
  await addJob(store.db, { name: 'mail', payload: { id: 'slow' } })
  await begun
  await started.pop()?.close()
  expect(ended).toBe(true)
})

test('error: a job that fails waits for its next try, and the log has no payload', async () => {
  let tries = 0
  await start(async () => {
    tries++
    throw new TypeError('not today')
  })
  await addJob(store.db, { name: 'mail', payload: { id: 'secret-id' } })
  await expect.poll(() => tries).toBe(1)
  await started.pop()?.close()
  const { rows } = await store.pool.query(
    "select attempts, run_at > created_at + interval '1 second' as later from latchkey_jobs._private_jobs where payload->>'id' = 'secret-id'",
  )
  expect(rows).toEqual([{ attempts: 1, later: true }])
  expect(logs.join('\n')).toContain('not today')
  expect(logs.join('\n')).not.toContain('secret-id')
})

test('behavior: workers that start while the database is away run jobs once it is back', async () => {
  const { port, pathname, username, password } = new URL(store.databaseUrl)
  const closed = await startWay(0)
  await closed.close()
  const way = await startWay(closed.port)
  const sessions = new pg.Pool({
    connectionString: `postgres://${username}:${password}@127.0.0.1:${String(way.port)}${pathname}`,
  })
  sessions.on('error', () => undefined)
  const done: string[] = []
  await start(
    async ({ id }) => {
      done.push(id)
    },
    { sessions },
  )
  await addJob(store.db, { name: 'mail', payload: { id: 'early' } })
  await expect.poll(() => logs.join('\n')).toContain('lost the database and are started again')
  expect(done).toEqual([])
  way.leadTo(Number(port))
  await expect.poll(() => done).toEqual(['early'])
  await started.pop()?.close()
  await sessions.end()
  await way.close()
})
