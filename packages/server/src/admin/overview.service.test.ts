import { randomUUID } from 'node:crypto'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { afterAll, expect, test } from 'vitest'

const admin = await startTestAdmin()
const { owner, deps } = admin
const bank = randomUUID()
for (const id of [deps.rootOrganizationId, bank])
  await owner.pool.query(`insert into organizations (id, name) values ($1, 'Parent')`, [id])
await owner.pool.query(`update projects set organization_id = $1 where id = 'bank'`, [bank])
await addUser(deps.rootOrganizationId, '2026-03-01T10:30:00Z')
await addUser(deps.rootOrganizationId, '2026-03-02T01:00:00Z')
await addUser(bank, '2026-03-02T01:00:00Z')
for (const [seconds, at] of [
  [1, '10:10'],
  [2, '10:20'],
  [10, '12:00'],
] as const)
  await addOperation('shop', { state: 'included', at: `2026-03-01T${at}:00Z`, seconds })
await addOperation('shop', { state: 'failed', at: '2026-03-01T10:40:00Z', seconds: 1 })
await addOperation('shop', { state: 'signed', at: '2026-03-01T12:10:00Z', seconds: 0 })
await addOperation('bank', { state: 'included', at: '2026-03-01T10:10:00Z', seconds: 60 })
for (const [chain, wei] of [
  [1, '7'],
  [10, '115792089237316195423570985008687907853269984665640564039457584007913129639935'],
])
  await owner.pool.query(
    `insert into reservations (chain_id, entry_point, sender, nonce, state, amount, valid_until, paymaster, project_id,
      policy_id, actual_cost, block_number, block_time)
    values ($1, '0xe', '0xa', 1, 'settled', 0, now(), '0xp', 'shop', 'default', $2, 5, '2026-03-01T10:59:59Z')`,
    [chain, wei],
  )
afterAll(() => admin.close())

async function addUser(parent: string, at: string) {
  const [organization, user] = [randomUUID(), randomUUID()]
  const { pool } = admin.owner
  await pool.query(`insert into organizations (id, parent_id, name) values ($1, $2, 'One')`, [organization, parent])
  await pool.query(`insert into users (id, org_id, parent_org_id, name, created_at) values ($1, $2, $3, 'One', $4)`, [
    user,
    organization,
    parent,
    at,
  ])
}

type Added = { state: string; at: string; seconds: number }

async function addOperation(project: string, { state, at, seconds }: Added) {
  const hash = `0x${(randomUUID() + randomUUID()).replaceAll('-', '')}`
  const isIncluded = state === 'included'
  await admin.owner.pool.query(
    `insert into operations (user_op_hash, project_id, chain_id, entry_point, sender, nonce, state, prepared_at, created_at,
      ended_at, block_number, block_hash, actual_gas_cost)
    values ($1, $2, 1, '0xe', '0xa', 1, $3, $4, $4, $4::timestamptz + $5 * interval '1 second', $6::bigint, $7, $6::bigint)`,
    [hash, project, state, at, seconds, isIncluded ? 5 : null, isIncluded ? '0xb' : null],
  )
}

const day = 'from=2026-03-01T00:00:00Z&to=2026-03-02T12:00:00Z'
const read = async (query: string) => (await admin.call('get', `/overview?${query}`, { as: 'viewer' })).body

test('counts a project in total and by hour', async () => {
  const { totals, series, countedFrom } = await read(`projectId=shop&${day}`)
  expect(countedFrom).toBeNull()
  expect(totals).toMatchObject({
    users: 2,
    newUsers: 2,
    operations: { included: 3, failed: 1, signed: 1 },
    inclusionRate: 0.75,
  })
  expect(totals.sponsored).toEqual([
    { chainId: 1, wei: '7', operations: 1 },
    { chainId: 10, wei: expect.stringMatching(/^1157\d{74}$/), operations: 1 },
  ])
  expect(totals.preparedToIncluded.medianMs / 2_000).toBeCloseTo(1, 1)
  expect(totals.preparedToIncluded.p95Ms / 10_000).toBeCloseTo(1, 1)
  expect(series).toHaveLength(36)
  const hour = { at: '2026-03-01T10:00:00.000Z', newUsers: 1, operations: { included: 2, failed: 1 } }
  expect(series[10]).toMatchObject(hour)
  expect(series[11]).toMatchObject({ operations: {}, inclusionRate: null, preparedToIncluded: null, sponsored: [] })
  expect(series[12].operations).toEqual({ included: 1, signed: 1 })
  expect(series[10].sponsored).toHaveLength(2)
})
