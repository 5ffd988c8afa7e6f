import { randomUUID } from 'node:crypto'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { afterAll, expect, test } from 'vitest'
import { insertSecurityEvents } from '../store/securityEventRows.ts'

const count = 7
const admin = await startTestAdmin()
const { pool, db } = admin.owner
// Each pair of rows has the same time, so the keys decide the order.
const time = `now() - (n / 2) * interval '1 minute'`
await pool.query(
  `insert into operations (user_op_hash, project_id, chain_id, entry_point, sender, nonce, state, actual_gas_used, actual_gas_cost, block_number, block_hash,
    ended_at, created_at)
  select '0x' || lpad(to_hex(n), 64, '0'), 'shop', 1, '0x' || repeat('e0', 20), '0x' || repeat('5e', 20), n, 'included',
    100000 + n % 3, 1, n, '0x' || repeat('b0', 32), now(), ${time}
  from generate_series(1, $1::int) as n`,
  [count],
)
await pool.query(
  `insert into webhook_outbox (project_id, endpoint, type, once, data, created_at)
  select 'shop', 'main', 'limit.hit', n::text, '{}', ${time} from generate_series(1, $1::int) as n`,
  [count],
)
const client = await pool.connect()
await client.query('set session_replication_role = replica')
const org = randomUUID()
await client.query(
  `insert into mail_outbox (id, activity_id, org_id, user_id, template, recipient, state, expires_at, created_at)
  select gen_random_uuid(), gen_random_uuid(), $1, $1, 'sign-in', 'a@b.example', 'sent', now(), ${time}
  from generate_series(1, $2::int) as n`,
  [org, count],
)
client.release(true)
const row = { event: 'a', code: null, path: null, organizationId: null, userId: null, requestId: null, count: 1 }
const rows = Array.from({ length: count }, () => ({ ...row, notedAt: performance.now() }))
await insertSecurityEvents(db, ['mail'], rows)
for (let index = 0; index < count; index++)
  await admin.call('post', '/projects/bank/api-keys', { body: { name: `Key ${index}` } })
afterAll(() => admin.close())

async function readAll(path: string, order: string): Promise<{ items: unknown[]; cursors: string[] }> {
  const items: unknown[] = []
  const cursors: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { status, body } = await admin.call('get', `${path}?limit=3&order=${order}${next && `&cursor=${next}`}`)
    expect([path, status]).toEqual([path, 200])
    items.push(...body.items)
    next = body.next as string | null
    if (next !== null) cursors.push(next)
  }
  return { items, cursors }
}

const lists = ['/operations', '/projects/shop/webhooks/main/deliveries', '/mails', '/log', '/security-events']

test.each(lists)('reads %s from both ends without skips or repeats', async (path) => {
  const newest = await readAll(path, 'newest')
  const oldest = await readAll(path, 'oldest')
  expect(newest.items).toHaveLength(count)
  expect(oldest.items).toEqual([...newest.items].reverse())
  const usual = await admin.call('get', `${path}?limit=3`)
  expect(usual.body).toEqual({ items: newest.items.slice(0, 3), next: newest.cursors[0] })
})

test.each(lists)('refuses a cursor of the other order and an unknown order: %s', async (path) => {
  const { cursors } = await readAll(path, 'oldest')
  for (const query of [`cursor=${cursors[0]}`, `order=newest&cursor=${cursors[0]}`, 'order=biggest']) {
    const { status, body } = await admin.call('get', `${path}?${query}`)
    expect([query, status, body.error.code]).toEqual([query, 400, 'REQUEST_INVALID'])
  }
})
