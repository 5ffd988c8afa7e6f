import { randomUUID } from 'node:crypto'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { afterAll, expect, test } from 'vitest'

const secret = 'LATCHKEY_WEBHOOK_SECRET_APP'
const hook = (id: string) => ({
  id,
  url: `https://hooks.example/${'path-secret'}?token=query-secret`,
  events: ['limit.hit' as const],
  secret,
})
const webhooks = '/projects/shop/webhooks'
const shop = { id: 'shop', name: 'Shop', apiKey: 'key', redirectUrls: [], allowedOrigins: [] }
const admin = await startTestAdmin({ projects: [{ ...shop, webhooks: [hook('main'), hook('quiet')] }] })
const organization = randomUUID()
await admin.owner.pool.query(`insert into organizations (id, name) values ($1, 'One')`, [organization])
afterAll(() => admin.close())

async function addMail(recipient: string, state: string, kind = 'sign-in') {
  const [user, activity] = [randomUUID(), randomUUID()]
  const { pool } = admin.owner
  await pool.query(`insert into users (id, org_id, name) values ($1, $2, 'One')`, [user, organization])
  await pool.query(
    `insert into activities (id, org_id, fingerprint, type, status, intent, result, user_id, credential_id)
    values ($1, $2, $3, 'x', 'y', '{}', '{}', $4, $4)`,
    [activity, organization, randomUUID(), user],
  )
  const failure = state === 'failed' ? 'smtp 550' : null
  const sealed = state === 'queued' ? Buffer.from('sealed') : null
  await pool.query(
    `insert into mail_outbox (id, activity_id, org_id, user_id, template, recipient, state, failure, tries, payload_sealed,
      expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, 2, $9, now())`,
    [randomUUID(), activity, organization, user, kind, recipient, state, failure, sealed],
  )
}

async function addWebhook(endpoint: string, state: string, projectId = 'shop'): Promise<string> {
  const { rows } = await admin.owner.pool.query<{ id: string }>(
    `insert into webhook_outbox (project_id, endpoint, type, once, data, state, tries, failure)
    values ($1, $2, 'limit.hit', $3, '{"limit":"data-secret"}', $4, 3, 'status 500') returning id`,
    [projectId, endpoint, randomUUID(), state],
  )
  return rows[0]?.id ?? ''
}

async function readAll(path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for (let next: string | null = ''; next !== null; ) {
    const mark: string = path.includes('?') ? '&' : '?'
    const { body } = await admin.call('get', `${path}${mark}limit=2${next && `&cursor=${next}`}`, { as: 'viewer' })
    found.push(...body.items)
    next = body.next
  }
  return found
}

test('lists mails with their state and hides addresses from viewers', async () => {
  const hostile = `"<img src=x onerror=alert(1)>"@example.com`
  for (const [recipient, state] of [
    ['ada@example.com', 'sent'],
    ['b@example.com', 'failed'],
    [hostile, 'queued'],
    ['no address', 'failed'],
    ['carol@example.com', 'sent'],
  ] as const)
    await addMail(recipient, state)
  const shown = await readAll('/mails')
  expect(shown.map(({ recipient, state }) => [recipient, state])).toEqual([
    ['c***@example.com', 'sent'],
    ['***', 'failed'],
    ['"***@example.com', 'queued'],
    ['***@example.com', 'failed'],
    ['a***@example.com', 'sent'],
  ])
  expect(shown[3]).toMatchObject({
    kind: 'sign-in',
    tries: 2,
    nextTryAt: null,
    failure: 'smtp 550',
    organizationId: organization,
  })
  expect(shown[2]?.nextTryAt).toEqual(expect.any(String))
  for (const as of ['operator', 'admin']) {
    const { body } = await admin.call('get', '/mails?state=queued', { as })
    expect(body.items.map(({ recipient }: { recipient: string }) => recipient)).toEqual([hostile])
    expect(JSON.stringify(body)).not.toContain('sealed')
  }
  expect((await readAll('/mails?state=failed')).length).toBe(2)
})

test("shows the origin of webhooks with waiting deliveries, without the URL's secrets", async () => {
  for (const state of ['queued', 'dead', 'dead', 'delivered']) await addWebhook('main', state)
  const { body } = await admin.call('get', webhooks, { as: 'viewer' })
  const common = { origin: 'https://hooks.example', events: ['limit.hit'] }
  expect(body.items).toEqual([
    { id: 'main', waiting: 1, dead: 2, ...common },
    { id: 'quiet', waiting: 0, dead: 0, ...common },
  ])
  expect(JSON.stringify(body)).not.toContain('secret')
})

test('replays dead deliveries of one endpoint and logs it', async () => {
  const [first = '', foreign = ''] = await Promise.all([addWebhook('main', 'delivered'), addWebhook('quiet', 'dead')])
  const replay = (body: unknown, as = 'operator') => admin.call('post', `${webhooks}/main/replay`, { as, body })
  const refused = await replay({ ids: [first] }, 'viewer')
  expect([refused.status, refused.body.error.code]).toEqual([403, 'ROLE_NOT_ALLOWED'])
  const some = await replay({ ids: [first, foreign, randomUUID()] })
  expect([some.status, some.body]).toEqual([202, { replayed: 1 }])
  expect((await replay({ dead: true })).body).toEqual({ replayed: 2 })
  const states = await admin.owner.pool.query<{ endpoint: string; state: string }>(
    `select endpoint, state from webhook_outbox where project_id = 'shop' and state = 'dead'`,
  )
  expect(states.rows.map(({ endpoint }) => endpoint)).toEqual(['quiet'])
  const { rows } = await admin.owner.pool.query(`select tries, failure from webhook_outbox where id = $1`, [first])
  expect(rows).toEqual([{ tries: 0, failure: null }])
  const { body } = await admin.call('get', '/log?limit=3', { as: 'viewer' })
  expect(body.items).toMatchObject([
    { action: 'webhook.replay', outcome: 'done', projectId: 'shop', target: 'main' },
    { action: 'webhook.replay', outcome: 'done' },
    { action: 'webhook.replay', outcome: 'refused', code: 'ROLE_NOT_ALLOWED' },
  ])
})
