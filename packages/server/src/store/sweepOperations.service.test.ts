import { randomBytes } from 'node:crypto'
import { startTestStore } from '@latchkey/testkit/database'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { afterAll, expect, test } from 'vitest'
import { openStore } from '../platform/database/openStore.ts'
import { logSigned } from './operations.ts'
import { sweepOperations } from './sweepOperations.ts'
import { upsertProject } from './upsertProject.ts'

const owner = await startTestStore()
// The gateway's database user does the sweeping in production.
const store = await openStore({ databaseUrl: asRole(owner.databaseUrl, 'gateway') })
await upsertProject(owner.db, { id: 'app', name: 'App', apiKey: 'key-of-app', redirectUrls: [], allowedOrigins: [] })
afterAll(async () => {
  await store.close()
  await owner.close()
})

async function log(columns: string): Promise<string> {
  const userOpHash = `0x${randomBytes(32).toString('hex')}`
  const address = `0x${'11'.repeat(20)}`
  const key = { userOpHash, chainId: 1, entryPoint: address, sender: address, nonce: 1n, paymaster: address }
  await logSigned(owner.db, { ...key, projectId: 'app', policyId: 'p', maxCost: 1n, validUntil: 1_900_000_000 })
  await owner.pool.query(`update operations set ${columns} where user_op_hash = $1`, [userOpHash])
  return userOpHash
}

test('deletes old finished operations and keeps open, recent and unconfirmed ones', async () => {
  const included = `state = 'included', block_number = 1, block_hash = '0x', actual_gas_cost = 1`
  const old = await log(`${included}, ended_at = now() - interval '366 days', confirmed_at = now()`)
  const dropped = await log(`state = 'dropped', ended_at = now() - interval '366 days'`)
  const kept = [
    await log(`${included}, ended_at = now() - interval '364 days', confirmed_at = now()`),
    await log(`${included}, ended_at = now() - interval '366 days'`),
    await log(`created_at = now() - interval '366 days'`),
  ]
  const age = `update operation_events set created_at = now() - interval '8 days' where user_op_hash = $1`
  await owner.pool.query(age, [kept[0]])
  expect(await sweepOperations(store.db)).toEqual({ events: 2, operations: 2 })
  const { rows } = await owner.pool.query<{ user_op_hash: string }>('select user_op_hash from operations')
  const left = rows.map(({ user_op_hash }) => user_op_hash)
  expect(left.sort()).toEqual([...kept].sort())
  expect(left).not.toContain(old)
  expect(left).not.toContain(dropped)
  expect(await sweepOperations(store.db)).toEqual({ events: 0, operations: 0 })
})

test('deletes the days of client addresses after two days and keeps other spending', async () => {
  const spenders = ['', `0x${'11'.repeat(20)}`, 'key:digest', 'ip:digest']
  for (const spender of spenders)
    await owner.pool.query(
      `insert into policy_spend (project_id, policy_id, chain_id, spender, day, count, cost)
      select 'app', 'p', 1, $1, (now() at time zone 'utc')::date - age, 1, 1 from unnest(array[1, 4]) as age`,
      [spender],
    )
  await sweepOperations(store.db)
  const { rows } = await owner.pool.query<{ spender: string; days: number }>(
    'select spender, count(*)::int as days from policy_spend group by spender',
  )
  expect(Object.fromEntries(rows.map(({ spender, days }) => [spender, days]))).toEqual({
    ...Object.fromEntries(spenders.map((spender) => [spender, 2])),
    'ip:digest': 1,
  })
})

test('applies eventDays and operationDays to more than a batch', async () => {
  await owner.pool.query('delete from operations')
  await owner.pool.query(`insert into operation_events (project_id, user_op_hash, state, confirmed, created_at)
    select 'app', '0x', 'seen', false, now() - interval '2 days' from generate_series(1, 2500)`)
  await log(`state = 'failed', ended_at = now() - interval '2 days'`)
  expect(await sweepOperations(store.db, { eventDays: 3, operationDays: 3 })).toEqual({ events: 0, operations: 0 })
  expect(await sweepOperations(store.db, { eventDays: 1, operationDays: 1 })).toEqual({ events: 2500, operations: 1 })
})
