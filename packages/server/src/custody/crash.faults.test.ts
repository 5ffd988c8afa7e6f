import { type Reply, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createOwner, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { startCuttingProxy } from '@latchkey/testkit/cuttingProxy'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { openStore } from '../platform/database/openStore.ts'
import { custodyApp } from './app.ts'
import { verifyLog } from './audit/verifyLog.ts'
import { submits } from './calls/table.ts'
import { readMacKey } from './macKey.ts'

/** The database connection breaks before each write of every call and after the last write, as in a crash. */
const custody = await startTestCustody()
// Limits are leased, so whether a request writes them depends on earlier requests.
const counts = (statement: string) => !/custody_limits|rate_limits/.test(statement)
const proxy = await startCuttingProxy(custody.store.databaseUrl, undefined, counts)
const store = await openStore({ databaseUrl: proxy.url, maxConnections: 2 })
const app = await custodyApp({ ...custody.deps, db: store.db })
afterAll(async () => {
  await store.close()
  await proxy.close()
  await custody.close()
})

type Request = { body: string; key: TestUser['key']; before: string }

async function prepare(call: string): Promise<Request> {
  const example = submitExamples[call]
  const owner = await createOwner(custody, example?.threshold)
  const body = JSON.stringify(await submission(custody, owner, call))
  return { body, key: example?.by === 'parent' ? custody.rootKey : owner.key, before: await readDatabase() }
}

test.each(Object.keys(submits))('keeps nothing partial of %s, which can be sent again', async (call) => {
  let request = await prepare(call)
  let writes = 0
  for (;;) {
    expect(writes).toBeLessThan(50)
    if (writes % 4 === 3) request = await prepare(call)
    proxy.cutAt(writes + 1, 'before')
    const { status, body } = await submit(call, request)
    if (!proxy.disarm()) {
      expect([status, body.activity?.status]).toEqual([200, 'ACTIVITY_STATUS_COMPLETED'])
      break
    }
    writes++
    const place = `before write ${writes}: ${JSON.stringify(body)}`
    expect([status, await readDatabase()], place).toEqual([503, request.before])
  }
  expect(writes).toBeGreaterThan(0)

  // Only the response is lost, so the call executed once.
  request = await prepare(call)
  proxy.cutAt(writes, 'after')
  const { status } = await submit(call, request)
  const after = await readDatabase()
  expect([status, proxy.disarm(), after === request.before]).toEqual([503, true, false])
  const again = await submit(call, request)
  expect(again.status).toBe(call === 'delete_sub_organization' ? 403 : 200)
  expect(await readDatabase()).toBe(after)
})

test('keeps the log verifiable after all crashes', async () => {
  const proof = await verifyLog(custody.store.db, await readMacKey(custody.store.db, custody.deps.keyEncryption))
  expect(proof.bad).toBeUndefined()
})

async function submit(path: string, { body, key }: Request): Promise<Reply> {
  const { stampHeaderName, stampHeaderValue } = createStamp(body, key)
  const headers = { [stampHeaderName]: stampHeaderValue }
  const response = await app.request(`/public/v1/submit/${path}`, { method: 'POST', body, headers })
  return { status: response.status, body: await response.json() }
}

/**
 * Returns the state of every table: any commit leaves a newer transaction id or fewer rows. Skips the table of code
 * attempts, which count even for failed requests.
 */
async function readDatabase(): Promise<string> {
  const { pool } = custody.store
  const { rows } = await pool.query<{ name: string }>(`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname in ('public', 'graphile_worker')
      and tablename not in ('rate_limits', 'custody_limits', 'mail_codes') order by 1`)
  const states = rows.map(({ name }) => `(select array[count(*), max(xmin::text::bigint)] from ${name}) as "${name}"`)
  const codes = `(select array_agg((id, spent_at)::text order by id) from mail_codes) as codes`
  return JSON.stringify((await pool.query(`select ${[...states, codes].join(', ')}`)).rows[0])
}
