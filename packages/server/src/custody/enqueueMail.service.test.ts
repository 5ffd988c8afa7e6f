import { randomUUID } from 'node:crypto'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { openMail } from '../keys/mailSeal.ts'
import { enqueueNotice } from './enqueueMail.ts'
import { ensureMacKey } from './macKey.ts'
import { findOnlyProject, readProjects } from './organizations/trustedProjects.ts'

const parent = randomUUID()
const project = { name: 'Two', redirectUrls: [], allowedOrigins: [], organizationId: parent }

const custody = await startTestCustody({
  projects: [
    { ...project, id: 'two-a', apiKey: 'key-of-two-a' },
    { ...project, id: 'two-b', apiKey: 'key-of-two-b' },
  ],
})
const { deps, store } = custody
const macKey = await ensureMacKey(store.db, deps.keyEncryption)
const context = { ...deps, projects: readProjects(deps.projects), macKey, now: Date.now }
afterAll(() => custody.close())

async function notify(user: TestUser, changes: Partial<enqueueNotice.Parameters> = {}) {
  const { db } = custody.store
  const { id: activityId } = await db.selectFrom('activities').select('id').limit(1).executeTakeFirstOrThrow()
  const before = await countOf(activityId)
  await enqueueNotice(context, db, {
    kind: 'passkey-added',
    organizationId: user.orgId,
    userId: user.userId,
    activityId,
    ...changes,
  })
  const row = await db
    .selectFrom('mail_outbox')
    .selectAll()
    .where('activity_id', '=', activityId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return (await countOf(activityId)) > before ? row : undefined
}

async function countOf(activityId: string): Promise<number> {
  const rowsQuery = custody.store.db.selectFrom('mail_outbox').select('id').where('activity_id', '=', activityId)
  const rows = await rowsQuery.execute()
  return rows.length
}

test('queues a sealed mail for the stored address', async () => {
  const user = await custody.createUser()
  const row = await notify(user)
  expect(row).toMatchObject({ state: 'queued', recipient: user.email, template: 'passkey-added', credential_id: null })
  if (!row?.payload_sealed) throw new TypeError('nothing was queued')
  expect(openMail(custody.deps.mailSealKey, row, row.payload_sealed)).toEqual({
    to: user.email,
    appName: 'Test app',
    content: { kind: 'passkey-added', happenedAtMs: expect.any(Number) },
  })
  const { rows } = await custody.store.pool.query(
    "select payload from latchkey_jobs._private_jobs where payload->>'id' = $1",
    [row.id],
  )
  expect(rows).toEqual([{ payload: { id: row.id } }])
})

test('sends nothing without a user, an address, or a genuine address', async () => {
  const user = await custody.createUser()
  expect(await notify(user, { userId: randomUUID() })).toBeUndefined()
  expect(await notify(user, { organizationId: (await custody.createUser()).orgId })).toBeUndefined()
  const { db } = custody.store
  await db.updateTable('users').set({ email: 'thief@evil.example' }).where('id', '=', user.userId).execute()
  expect(await notify(user)).toBeUndefined()
  await db.updateTable('users').set({ email: null }).where('id', '=', user.userId).execute()
  expect(await notify(user)).toBeUndefined()
})

test('names no project in mails of a parent with several', () => {
  expect(findOnlyProject(context, parent)).toBeUndefined()
  expect(findOnlyProject(context, custody.rootOrganizationId)).toMatchObject({ id: 'test' })
})
