import { startTestStore } from '@latchkey/testkit/database'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { takeToken } from '../limits/takeToken.ts'
import { silentLogger } from '../observability/logger.ts'
import { advanceClock, followDevnetClock, readAhead } from './devnetClock.ts'
import { addJob } from './jobs.ts'
import { openStore } from './openStore.ts'

const owner = await startTestStore()
const gateway = await openStore({ databaseUrl: asRole(owner.databaseUrl, 'gateway') })
const clock = await followDevnetClock({ ...gateway, logger: silentLogger })
afterAll(async () => {
  await clock.close()
  await gateway.close()
  await owner.close()
})

async function readDatabase(): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select extract(epoch from latchkey_now() - now())::float8 * 1000 as ahead`.execute(gateway.db)
  return Number(rows[0]?.ahead)
}

test('moves the database, the roles and waiting jobs together', async () => {
  expect(await readDatabase()).toBe(0)
  let jumps = 0
  const unsubscribe = clock.onJump(() => jumps++)
  await addJob(owner.db, { name: 'mail', payload: { id: 'x' }, key: 'x', inMs: 3_600_000 })
  expect(await advanceClock({ databaseUrl: owner.databaseUrl, byMs: 960_000 })).toEqual({ aheadMs: 960_000 })
  expect(await advanceClock({ databaseUrl: owner.databaseUrl, byMs: 40_000 })).toEqual({ aheadMs: 1_000_000 })
  expect(await readDatabase()).toBe(1_000_000)
  await expect.poll(() => Math.round((clock.now() - Date.now()) / 1000)).toBe(1_000)
  expect(jumps).toBeGreaterThan(0)
  const { rows } = await sql<{ due: number }>`
    select extract(epoch from run_at - created_at)::float8 as due from latchkey_jobs.jobs where key = 'x'`.execute(
    owner.db,
  )
  expect(Math.round(Number(rows[0]?.due))).toBe(2_600)
  unsubscribe()
})

test('refills limits and gives later rows and servers the moved time', async () => {
  const token = { key: 'x', limit: 1, windowMs: 3_600_000, table: 'gateway_limits' } as const
  expect(await takeToken(gateway.db, token)).toEqual({ ok: true })
  expect(await takeToken(gateway.db, token)).toMatchObject({ ok: false })
  await advanceClock({ databaseUrl: owner.databaseUrl, byMs: 3_600_000 })
  expect(await takeToken(gateway.db, token)).toEqual({ ok: true })
  const values = { id: 'late', name: 'late', api_key_hash: Buffer.alloc(32), redirect_urls: [], allowed_origins: [] }
  const row = await owner.db.insertInto('projects').values(values).returning('created_at').executeTakeFirstOrThrow()
  const ahead = await readAhead(owner.db)
  expect(row.created_at.getTime() - Date.now()).toBeGreaterThan(ahead - 60_000)
  const later = await followDevnetClock({ ...gateway, logger: silentLogger })
  expect(later.now() - Date.now()).toBeGreaterThan(ahead - 60_000)
  await later.close()
})

test('refuses to move the time for every role', async () => {
  for (const role of ['custody', 'signer-api', 'mail', 'gateway', 'admin', 'console'] as const) {
    const databaseUrl = asRole(owner.databaseUrl, role)
    await expect(advanceClock({ databaseUrl, byMs: 1 })).rejects.toThrow('permission denied')
  }
})
