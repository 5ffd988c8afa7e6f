import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createCarefulProject } from '@latchkey/testkit/carefulProject'
import { redirectUrl, startTestCustody } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { startWebhookReceiver, type WebhookReceiver } from '@latchkey/testkit/webhookReceiver'
import { sql } from 'kysely'
import { verifyWebhook, type WebhookEvent, webhookTypes } from 'latchkey/webhooks'
import { afterAll, afterEach, expect, test } from 'vitest'
import { machineClock } from '../platform/database/devnetClock.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { logFailed, logSent } from '../store/operations.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import { listWebhooks, queueWebhooks, replayWebhooks, sweepWebhooks } from '../store/webhookOutbox.ts'
import { followOperations } from './followOperations.ts'
import { startWebhooks } from './startWebhooks.ts'

const secret = 'LATCHKEY_WEBHOOK_SECRET_APP'
let other: WebhookReceiver
/** The role connects as its own database user. */
const closers: (() => Promise<void>)[] = []
const logs: string[] = []
const log = (fields: Record<string, unknown>, message: string) => void logs.push(`${message} ${JSON.stringify(fields)}`)
const logger: Logger = { info: log, warn: log, error: log }

const receiver = await startWebhookReceiver()
other = await startWebhookReceiver()
const { organizationId } = createCarefulProject()
const project: upsertProject.Parameters = {
  id: 'hooked',
  name: 'App',
  apiKey: 'hooked-api-key',
  redirectUrls: [redirectUrl],
  allowedOrigins: ['http://localhost:4100'],
  organizationId,
  confirmations: 'none',
  parentCredentials: 'allowed',
  webhooks: [
    { id: 'main', url: receiver.url, events: [...webhookTypes], secret },
    { id: 'exports', url: other.url, events: ['wallet.exported'], secret },
  ],
}
const custody = await startTestCustody({ projects: [project] })
const db = (await custody.openAs('webhooks')).db
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
  receiver.statuses.length = 0
})
afterAll(async () => {
  await custody.close()
  await receiver.close()
  await other?.close()
})
const { submit, addKeys } = custodyCalls(() => custody)

type Changed = Pick<Partial<startWebhooks.Parameters>, 'mode'> &
  Partial<ReturnType<startWebhooks.Parameters['readConfig']>>

function start({ mode = 'development', ...changed }: Changed = {}): void {
  const config = { projects: [project], secrets: { [secret]: receiver.secret }, ...changed }
  const parts = { store: { db }, logger, clock: machineClock, pollMs: 20 }
  const webhooks = startWebhooks({ ...parts, mode, readConfig: () => config })
  closers.push(webhooks.close)
}

async function receive(count: number, before: number, from = receiver): Promise<WebhookEvent[]> {
  await expect.poll(() => from.received.length).toBeGreaterThanOrEqual(before + count)
  return Promise.all(from.received.slice(before).map((one) => verifyWebhook({ ...one, secret: receiver.secret })))
}

const queue = (once: string = randomUUID()) =>
  queueWebhooks(custody.store.db, [project], [{ type: 'limit.hit', once, data: { limit: 'x', policyId: null } }])
const states = async () => (await listWebhooks(custody.store.db, { limit: 100 })).map(({ state }) => state)
const makeDue = () => sql`update webhook_outbox set next_try_at = now() - interval '1 second'`.execute(custody.store.db)

test('sends events of user actions to subscribed endpoints', async () => {
  start()
  const before = receiver.received.length
  const user = await custody.createUser({
    rootOrganizationId: project.organizationId ?? '',
    passkeys: [createAuthenticator().register()],
  })
  await addKeys(user, [newApiKey().parameters])
  const { targetPublicKey } = createTestExportFrame()
  const { body } = await submit('export_wallet_account', user, { address: user.address, targetPublicKey })
  expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  const events = await receive(3, before)
  const { orgId: organizationId, userId } = user
  const ids = { organizationId, userId }
  const found = Object.fromEntries(events.map(({ type, data }) => [type, data]))
  expect(found).toEqual({
    'user.created': ids,
    'credential.added': { ...ids, activityId: expect.any(String), kind: 'api-key' },
    'wallet.exported': { ...ids, activityId: body.activity.id },
  })
  for (const event of events)
    expect(event).toMatchObject({ projectId: 'hooked', timestamp: expect.stringMatching(/^\d{4}-.*Z$/) })
  const [exported] = await receive(1, 0, other)
  expect(exported?.type).toBe('wallet.exported')
  expect(other.received).toHaveLength(1)
})

test('sends to the endpoints of a changed configuration, and no more to removed ones', async () => {
  const [main] = project.webhooks ?? []
  const moved = { ...project, webhooks: main ? [{ ...main, url: other.url }] : [] }
  const secrets = { [secret]: receiver.secret }
  let config: ReturnType<startWebhooks.Parameters['readConfig']> = { projects: [project], secrets }
  const parts = { store: { db }, logger, clock: machineClock, pollMs: 20, mode: 'development' } as const
  const webhooks = startWebhooks({ ...parts, readConfig: () => config })
  closers.push(webhooks.close)
  const before = [receiver.received.length, other.received.length] as const
  await queue()
  await receive(1, before[0])
  config = { projects: [moved], secrets }
  await queue()
  await expect.poll(() => other.received.length).toBe(before[1] + 1)
  expect(receiver.received).toHaveLength(before[0] + 1)
})

test('sends outcomes of operations once for all copies', async () => {
  const other = { ...project, id: 'test', webhooks: project.webhooks?.slice(0, 1) }
  const send = (userOpHash: string) =>
    logSent(custody.store.db, {
      userOpHash,
      projectId: other.id,
      chainId: 31337,
      entryPoint: `0x${'11'.repeat(20)}`,
      sender: `0x${'22'.repeat(20)}`,
      nonce: 5n,
      paymaster: null,
      request: '[]',
    })
  await send(`0x${'aa'.repeat(32)}`)
  await logFailed(custody.store.db, { userOpHash: `0x${'aa'.repeat(32)}`, projectId: other.id, failure: 'AA25' })
  expect(await followOperations(db, other)).toBe(false)
  const [refused, included] = [`0x${'bb'.repeat(32)}`, `0x${'cc'.repeat(32)}`] as const
  await send(refused)
  await logFailed(custody.store.db, { userOpHash: refused, projectId: other.id, failure: 'AA25 https://key@bundler' })
  await send(included)
  const inBlock = { state: 'included', block_number: '7', block_hash: '0x77', block_time: new Date(), success: true }
  const mined = { ...inBlock, transaction_hash: '0x66', actual_gas_cost: '12345' } as const
  const operations = custody.store.db.updateTable('operations').where('user_op_hash', '=', included)
  await operations.set({ ...mined, state: 'included' }).execute()
  const before = receiver.received.length
  start({ projects: [other] })
  await Promise.all(Array.from({ length: 4 }, () => followOperations(db, other)))
  const [failed] = await receive(1, before)
  await operations.set({ confirmed_at: new Date() }).execute()
  const [, mine] = await receive(2, before)
  const operation = { chainId: 31337, sender: expect.stringMatching(/^0x22/), nonce: '5', policyId: null }
  expect(failed).toMatchObject({
    type: 'operation.failed',
    data: { ...operation, userOpHash: refused, reason: 'failed', replacedBy: null },
  })
  expect(mine).toMatchObject({
    type: 'operation.included',
    data: { ...operation, userOpHash: included, success: true, actualGasCost: '12345', blockNumber: '7' },
  })
  expect(JSON.stringify(receiver.received)).not.toContain('bundler')
})

test('retries with the same id and a new time until accepted', async () => {
  receiver.statuses.push(500, 302)
  const before = receiver.received.length
  await queue()
  start()
  for (const count of [1, 2]) {
    await expect.poll(() => receiver.received.length).toBe(before + count)
    const failure = count === 1 ? 'status 500' : 'NETWORK_UNREACHABLE'
    await expect.poll(async () => (await listWebhooks(db, { limit: 1 }))[0]?.failure).toBe(failure)
    await makeDue()
  }
  await expect.poll(async () => (await states())[0]).toBe('delivered')
  const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
  expect(ids).toHaveLength(3)
  expect(logs.join('\n')).not.toContain('what a receiver says')
  expect(logs.join('\n')).not.toContain(receiver.secret)
})

test('gives up after too many failures and sends again on replay', async () => {
  const before = receiver.received.length
  await queue()
  await sql`update webhook_outbox set tries = 9 where state = 'queued'`.execute(custody.store.db)
  receiver.statuses.push(503)
  start()
  await expect.poll(async () => (await states())[0]).toBe('dead')
  await expect.poll(() => logs.join()).toContain('webhooks replay')
  expect(await replayWebhooks(db, { projectId: 'another' })).toBe(0)
  expect(await replayWebhooks(db, {})).toBe(1)
  await expect.poll(async () => (await states())[0]).toBe('delivered')
  const sent = receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])
  expect([sent.length, new Set(sent).size]).toEqual([2, 1])
  expect(await replayWebhooks(db, { ids: [String(sent[0])] })).toBe(1)
  await receive(3, before)
})

test('signs with two secrets during a rotation', async () => {
  const next = other.secret
  const [main] = project.webhooks ?? []
  const webhooks = main ? [{ ...main, secret: `${secret}_2`, previousSecret: secret }] : []
  const before = receiver.received.length
  await queue()
  start({ projects: [{ ...project, webhooks }], secrets: { [secret]: receiver.secret, [`${secret}_2`]: next } })
  const [event] = await receive(1, before)
  const one = receiver.received[before]
  expect(one && (await verifyWebhook({ ...one, secret: next })).id).toBe(event?.id)
})

test('ends stale webhooks and deletes old ones', async () => {
  await custody.store.db.deleteFrom('webhook_outbox').execute()
  for (const [state, days] of [
    ['queued', 8],
    ['delivered', 8],
    ['dead', 8],
    ['dead', 31],
    ['delivered', 6],
  ] as const) {
    const once = `${state} ${days}`
    await queue(once)
    const age = sql<Date>`now() - ${`${days} days`}::interval`
    const row = custody.store.db.updateTable('webhook_outbox').where('once', '=', once)
    await row.set({ state, updated_at: age }).execute()
  }
  await sweepWebhooks(db)
  const left = await custody.store.db.selectFrom('webhook_outbox').select(['once', 'state']).orderBy('once').execute()
  expect(left.map(({ once, state }) => `${once}: ${state}`)).toEqual([
    'dead 8: dead',
    'delivered 6: delivered',
    'queued 8: dead',
  ])
})

test('refuses to send to private addresses in production', async () => {
  const [main] = project.webhooks ?? []
  const at = (url: string) => ({ ...project, webhooks: main ? [{ ...main, url }] : [] })
  const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining('public Internet') }
  for (const url of [receiver.url, 'https://127.0.0.1/', 'https://[::1]/', 'https://10.0.0.1/', 'https://a.localhost/'])
    expect(() => start({ mode: 'production', projects: [at(url)] }), url).toThrowError(expect.objectContaining(refused))
  // The host name resolves to this machine.
  const { hostname } = await import('node:os')
  await custody.store.db.deleteFrom('webhook_outbox').execute()
  await queue()
  start({ mode: 'production', projects: [at(`https://${hostname()}:1/`)] })
  const failure = async () => (await listWebhooks(db, { limit: 1 }))[0]?.failure
  await expect.poll(failure).toBe('ADDRESS_NOT_PUBLIC')
})

test('refuses invalid endpoints and secrets', () => {
  const [main] = project.webhooks ?? []
  if (!main) return expect.unreachable()
  const wrong: [Partial<typeof main>, string][] = [
    [{ url: 'http://app.example/' }, 'needs an https URL'],
    [{ url: 'https://user@app.example/' }, 'needs an https URL'],
    [{ events: [] }, 'needs events'],
    [{ id: 'a b' }, 'needs an id'],
    [{ secret: 'DATABASE_URL' }, 'does not begin with'],
    [{ secret: `${secret}_9` }, 'is missing'],
  ]
  for (const [changed, message] of wrong)
    expect(() => start({ projects: [{ ...project, webhooks: [{ ...main, ...changed }] }] }), message).toThrowError(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    )
  for (const text of ['x', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'!'.repeat(40)}`])
    expect(() => start({ secrets: { [secret]: text } }), text).toThrowError('24 to 64 random bytes')
  expect(() => start({ projects: [{ ...project, webhooks: [main, main] }] })).toThrowError('the same id')
})
