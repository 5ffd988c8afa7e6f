import { randomUUID } from 'node:crypto'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { afterAll, expect, test } from 'vitest'
import { sweep } from '../mail/sweep.ts'
import { openStore } from '../platform/database/openStore.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { noteDone, noteRefusal } from '../platform/observability/securityEvents.ts'
import { keepSecurityEvents } from './keepSecurityEvents.ts'

/** Custody's database user may only add events; it can neither read nor change them. */
const admin = await startTestAdmin()
const custody = await openStore({ databaseUrl: asRole(admin.databaseUrl, 'custody') })
afterAll(async () => {
  await custody.close()
  await admin.close()
})

const newLogger = (): Logger => ({ info() {}, warn() {}, error() {} })
const list = async (query = '', as = 'operator') => (await admin.call('get', `/security-events${query}`, { as })).body

test('lists noted events with their ids alone, and a flood as a few rows', async () => {
  const logger = newLogger()
  const close = keepSecurityEvents({ stores: new Map([['custody', custody]]), roles: ['custody', 'custody'], logger })
  const organizationId = randomUUID()
  noteDone(logger, { event: 'account_frozen', organizationId, userId: 'u', activityId: 'a', requestId: 'r-1' })
  for (let round = 0; round < 15; round++)
    noteRefusal(logger, { code: 'SIGNATURE_INVALID', path: '/public/v1/<b>', requestId: `r-${round}` })
  // Each server in this process has its own logger.
  noteRefusal(newLogger(), { code: 'OTP_INVALID', requestId: 'other' })
  await close()
  noteDone(logger, { event: 'account_frozen', organizationId, requestId: 'late' })

  const { items } = await list()
  expect(items).toHaveLength(6)
  const frozen = items.find(({ event }: { event: string }) => event === 'account_frozen')
  expect(frozen).toMatchObject({ roles: ['custody'], organizationId, userId: 'u', requestId: 'r-1', code: null })
  const refused = (await list('?event=bad_stamp')).items
  expect(refused.map(({ requestId }: { requestId: string }) => requestId)).toEqual(['r-4', 'r-3', 'r-2', 'r-1', 'r-0'])
  expect(refused[0].count - refused[1].count).toBe(11)
  expect(refused[0]).toMatchObject({ code: 'SIGNATURE_INVALID', path: '/public/v1/<b>' })
  const first = await list('?limit=4')
  const second = await list(`?limit=4&cursor=${first.next}`)
  expect([...first.items, ...second.items]).toEqual(items)
  expect(second.next).toBeNull()
})

test('hides events from viewers, protects them from roles, and erases them after 30 days', async () => {
  expect((await list('', 'viewer')).error.code).toBe('ROLE_NOT_ALLOWED')
  for (const statement of [
    'select * from security_events',
    'delete from security_events',
    `update security_events set event = ''`,
  ])
    await expect(custody.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  await admin.owner.pool.query(`update security_events set at = now() - interval '31 days' where event = 'bad_stamp'`)
  await sweep(admin.owner.db)
  expect((await list()).items.map(({ event }: { event: string }) => event)).toEqual(['account_frozen'])
})

test('loses events, not requests, when the database is unavailable', async () => {
  const warnings: string[] = []
  const logger: Logger = { ...newLogger(), warn: (_, message) => void warnings.push(message) }
  const gone = await openStore({ databaseUrl: asRole(admin.databaseUrl, 'custody') })
  const close = keepSecurityEvents({ stores: new Map([['custody', gone]]), roles: ['custody'], logger })
  await gone.close()
  noteRefusal(logger, { code: 'SIGNATURE_INVALID', requestId: 'r' })
  await close()
  expect(warnings).toContain('Security events could not be kept')
  expect(await keepSecurityEvents({ stores: new Map(), roles: ['frames'], logger })()).toBeUndefined()
})
