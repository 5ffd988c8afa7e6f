import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { afterAll, expect, test } from 'vitest'
import { declarePolicies } from '../app/declarePolicies.ts'
import { openStore } from '../platform/database/openStore.ts'
import { findApiKey } from '../store/apiKeys.ts'
import { findPolicy } from '../store/ledger/policies.ts'
import { verifyOperatorLog } from '../store/operatorLog.ts'
import { adminApp } from './app.ts'

const admin = await startTestAdmin()
afterAll(() => admin.close())

const policy = async (id: string, rules = {}) => {
  const made = await admin.call('post', '/projects/shop/policies', { as: 'operator', body: { id, rules } })
  expect(made.status).toBe(201)
  return `/projects/shop/policies/${id}`
}
const matching = (version: string) => ({ 'if-match': `"${version}"` })

test('shows projects with their file settings, never with their key', async () => {
  const { body, headers } = await admin.call('get', '/projects', { as: 'viewer' })
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['bank', 'shop'])
  expect(body.items[1]).toMatchObject({ redirectUrls: ['https://shop.example/'], file: { confirmations: 'mail' } })
  expect(body.items[1].readOnly).toContain('LATCHKEY_PROJECTS_FILE')
  expect(JSON.stringify(body)).not.toContain('first-key')
  expect(headers.get('cache-control')).toBe('no-store')
  expect((await admin.call('get', '/projects/none')).body.error.code).toBe('NOT_FOUND')
})

test('validates input strictly and reports errors in one form', async () => {
  const place = JSON.stringify({ micros: '9'.repeat(18), userOpHash: `0x${'0'.repeat(64)}` })
  const far = Buffer.from(place).toString('base64url')
  const cases: [string, string, unknown, number, string][] = [
    ['post', '/projects/shop/policies', { id: 'a b', rules: {} }, 400, 'REQUEST_INVALID'],
    ['post', '/projects/shop/policies', { id: 'a', rules: {}, more: 1 }, 400, 'REQUEST_INVALID'],
    ['post', '/projects/shop/policies', { id: 'a', rules: { unknown: 1 } }, 400, 'REQUEST_INVALID'],
    ['post', '/projects/none/policies', { id: 'a', rules: {} }, 404, 'NOT_FOUND'],
    ['post', '/projects/none/api-keys', { name: 'a' }, 404, 'NOT_FOUND'],
    ['post', '/projects/shop/api-keys', { name: 'a', origins: ['https://thief.example'] }, 400, 'REQUEST_INVALID'],
    ['post', '/projects/shop/api-keys', '{', 400, 'REQUEST_INVALID'],
    ['post', '/projects/shop/api-keys', `"${'x'.repeat(70_000)}"`, 413, 'BODY_TOO_LARGE'],
    ['get', '/operations?limit=201', undefined, 400, 'REQUEST_INVALID'],
    ['get', '/operations?limit=1&limit=2', undefined, 400, 'REQUEST_INVALID'],
    ['get', '/operations?cursor=nonsense', undefined, 400, 'REQUEST_INVALID'],
    ['get', '/operations?policyId=p', undefined, 400, 'REQUEST_INVALID'],
    ['get', '/operations?nope=1', undefined, 400, 'REQUEST_INVALID'],
    ['get', '/operations/0x12', undefined, 400, 'REQUEST_INVALID'],
    ['get', '/projects/shop/spend?from=2020-01-01&to=2026-01-01', undefined, 400, 'REQUEST_INVALID'],
    ['get', `/operations/0x${'00'.repeat(32)}`, undefined, 404, 'NOT_FOUND'],
    ['get', '/nothing', undefined, 404, 'NOT_FOUND'],
    // PostgreSQL cannot store these values.
    ['get', '/projects/a%00b', undefined, 400, 'REQUEST_INVALID'],
    ['post', '/projects/a%00b/policies/p/pause', {}, 400, 'REQUEST_INVALID'],
    ['post', '/projects/shop/api-keys', { name: 'a\u0000b' }, 400, 'REQUEST_INVALID'],
    ['get', `/operations?cursor=${far}`, undefined, 400, 'REQUEST_INVALID'],
    ['get', '/projects/shop/spend?from=0000-01-01&to=0000-01-02', undefined, 400, 'REQUEST_INVALID'],
  ]
  for (const [method, path, body, status, code] of cases) {
    const reply = await admin.call(method, path, { body })
    expect([path, reply.status, reply.body.error.code]).toEqual([path, status, code])
    expect(Object.keys(reply.body)).toEqual(['error'])
    expect(reply.body.error.requestId).toBe(reply.headers.get('x-request-id'))
  }
})

test('creates, narrows, rotates and disables an API key and shows secrets once', async () => {
  const path = '/projects/shop/api-keys'
  const made = await admin.call('post', path, { as: 'operator', body: { name: 'Page', chains: [10] } })
  const { key, secret } = made.body
  expect(made.status).toBe(201)
  expect(await findApiKey(admin.owner.db, secret)).toMatchObject({ id: key.id, chains: [10] })
  const changed = await admin.call('patch', `${path}/${key.id}`, { body: { methods: ['eth_*'], chains: null } })
  expect(changed.body).toMatchObject({ methods: ['eth_*'], chains: null, name: 'Page' })
  const rotated = await admin.call('post', `${path}/${key.id}/rotate`, { body: { overlapSeconds: 60 } })
  for (const one of [secret, rotated.body.secret]) expect(await findApiKey(admin.owner.db, one)).not.toBeNull()
  const disabled = await admin.call('post', `${path}/${key.id}/disable`)
  expect(Date.parse(disabled.body.revokedAt)).toBeLessThanOrEqual(Date.now())
  expect(await findApiKey(admin.owner.db, secret)).toBeNull()
  expect((await admin.call('post', `${path}/${key.id}/rotate`, { body: {} })).status).toBe(404)
  expect((await admin.call('post', `/projects/bank/api-keys/${rotated.body.key.id}/disable`)).status).toBe(404)
  const list = await admin.call('get', path, { as: 'viewer' })
  expect(JSON.stringify(list.body)).not.toContain(secret.slice(8))
})

test('refuses the later of two concurrent edits and names the earlier editor', async () => {
  const path = await policy('edited', { chains: [1] })
  const read = await admin.call('get', path, { as: 'viewer' })
  expect(read.headers.get('etag')).toBe('"1"')
  const [one, two] = await Promise.all(
    ['operator', 'admin'].map((as) =>
      admin.call('put', path, { as, body: { rules: { chains: [as.length] } }, headers: matching(read.body.version) }),
    ),
  )
  expect([one?.status, two?.status].sort()).toEqual([200, 412])
  const late = one?.status === 412 ? one : two
  expect(late?.body.error.code).toBe('VERSION_CONFLICT')
  expect(late?.body.error.message).toMatch(/was changed by The (operator|admin) at \d{4}-\d\d-\d\dT/)
  const now = await admin.call('get', path)
  expect([now.body.version, now.headers.get('etag')]).toEqual(['2', '"2"'])
  for (const headers of [{}, { 'if-match': '*' }, { 'if-match': 'W/"2"' }, { 'if-match': '2' }])
    expect((await admin.call('put', path, { body: { rules: {} }, headers })).body.error.code).toBe('VERSION_MISSING')
  expect((await admin.call('put', path, { body: { rules: {} }, headers: matching('2') })).body.version).toBe('3')
})

test('pauses, resumes and sets the default, and only pauses policies of the file', async () => {
  const path = await policy('steered')
  expect((await admin.call('post', `${path}/pause`)).body).toMatchObject({ paused: true, changedBy: 'The admin' })
  expect((await findPolicy(admin.owner.db, 'shop', 'steered'))?.paused).toBe(true)
  expect((await admin.call('post', `${path}/resume`)).body).toMatchObject({ paused: false, version: '3' })
  expect((await admin.call('post', `${path}/default`)).body.isDefault).toBe(true)
  const other = await policy('other')
  expect((await admin.call('post', `${other}/default`)).body.isDefault).toBe(true)
  expect((await admin.call('get', path)).body.isDefault).toBe(false)

  const projects = admin.deps.projects?.filter(({ id }) => id === 'shop')
  await declarePolicies(admin.owner.db, { policies: [{ id: 'default' }], projects })
  const declared = '/projects/shop/policies/default'
  expect((await admin.call('get', declared)).body).toMatchObject({ source: 'file', isDefault: true })
  for (const [method, target, body] of [
    ['put', declared, { rules: { chains: [1] } }],
    ['post', `${other}/default`, {}],
  ] as const) {
    const reply = await admin.call(method, target, { body, headers: matching('1') })
    expect([reply.status, reply.body.error.code]).toEqual([409, 'CONFIGURED_IN_FILE'])
  }
  await admin.call('post', `${declared}/pause`)
  // A gateway restart does not end the pause. Operators may change policies that were removed from the file.
  await declarePolicies(admin.owner.db, { policies: [{ id: 'default' }], projects })
  expect((await admin.call('get', declared)).body.paused).toBe(true)
  await declarePolicies(admin.owner.db, { policies: [], projects })
  expect((await admin.call('get', declared)).body.source).toBe('operators')
})

test('tests an operation against a policy and names the deciding rule', async () => {
  const target = `0x${'11'.repeat(20)}`
  const path = await policy('evaluated', {
    chains: [10],
    targets: [{ address: target }],
    limits: { operation: { cost: '100' }, sender: { day: { count: 0 } } },
  })
  const operation = { chainId: 10, entryPoint: `0x${'22'.repeat(20)}`, sender: `0x${'33'.repeat(20)}`, callData: '0x' }
  const evaluate = async (change: Record<string, unknown> = {}) =>
    (await admin.call('post', `${path}/test`, { as: 'viewer', body: { ...operation, ...change } })).body
  expect(await evaluate({ chainId: 1 })).toMatchObject({ sponsored: false, rule: 'chains' })
  expect(await evaluate({ callData: '0x12345678' })).toMatchObject({ sponsored: false, rule: 'targets' })
  expect(await evaluate({ maxCost: '101' })).toMatchObject({
    rule: 'limits.operation.cost',
    reason: expect.stringContaining('100'),
  })
  expect(await evaluate()).toMatchObject({ sponsored: false, rule: 'limits.sender.day.count' })
  const { body } = await admin.call('get', path)
  const rules = { chains: [10], targets: [{ address: target }], webhook: { url: 'https://decides.example' } }
  await admin.call('put', path, { body: { rules }, headers: matching(body.version) })
  expect(await evaluate()).toEqual({
    sponsored: true,
    rule: null,
    reason: null,
    unchecked: [
      'factors',
      'deposit',
      'open.ip',
      'open.key',
      'open.cost',
      'limits.operation.gas',
      'limits.ip',
      'limits.key',
      'sender.code',
      'webhook',
    ],
  })
  await admin.call('post', `${path}/pause`)
  expect(await evaluate()).toMatchObject({ sponsored: false, rule: 'paused' })
  const { rows } = await admin.owner.pool.query('select 1 from reservations union all select 1 from sponsorships')
  expect(rows).toEqual([])
})

test('logs every change with digests and keeps the log verifiable', async () => {
  const path = await policy('logged')
  await admin.call('post', `${path}/pause`, { as: 'operator' })
  await admin.call('put', path, { as: 'operator', body: { rules: {} }, headers: matching('1') })
  const { body } = await admin.call('get', '/log?projectId=shop&limit=3', { as: 'viewer' })
  const [late, paused, created] = body.items
  expect(created).toMatchObject({ action: 'policy.create', target: 'logged', beforeDigest: null, outcome: 'done' })
  const digests = { beforeDigest: created.afterDigest, operatorName: 'The operator' }
  expect(paused).toMatchObject({ action: 'policy.pause', ...digests })
  expect(paused.afterDigest).not.toBe(paused.beforeDigest)
  expect(late).toMatchObject({ action: 'policy.update', outcome: 'refused', code: 'VERSION_CONFLICT' })
  const { bad } = await verifyOperatorLog(admin.owner.db, { key: admin.key })
  expect(bad).toBeUndefined()
})

test('changes nothing if the log entry cannot be written', async () => {
  const path = await policy('atomic')
  await admin.owner.pool.query('revoke insert on operator_log from latchkey_admin')
  try {
    expect((await admin.call('post', `${path}/pause`)).status).toBe(500)
    expect((await findPolicy(admin.owner.db, 'shop', 'atomic'))?.paused).toBe(false)
  } finally {
    await admin.owner.pool.query('grant insert on operator_log to latchkey_admin')
  }
})

test('limits requests by address and by operator', async () => {
  const limits = {
    requestsPerIp: { limit: 3, windowMs: 3_600_000 },
    writesPerOperator: { limit: 1, windowMs: 3_600_000 },
  }
  const app = adminApp({ ...admin.deps, exemptLoopback: false, limits })
  const replies = []
  for (let count = 0; count < 4; count++) replies.push(await admin.call('get', '/operator', { app, as: 'nonsense' }))
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 429])
  expect(replies[3]?.headers.get('retry-after')).toMatch(/^\d+$/)
  const busy = adminApp({ ...admin.deps, limits })
  const path = await policy('limited')
  const statuses = []
  for (const as of ['viewer', 'viewer', 'operator', 'operator'])
    statuses.push((await admin.call('post', `${path}/pause`, { app: busy, as })).status)
  const [first, second, , last] = statuses
  // Earlier tests use the same limit, so the operator's first request may be refused.
  expect([first, second, last]).toEqual([403, 429, 429])
})

test("denies the operator tables to the gateway's database user", async () => {
  const url = new URL(admin.databaseUrl)
  url.username = 'latchkey_gateway'
  const gateway = await openStore({ databaseUrl: url.href, maxConnections: 1 })
  await expect(gateway.pool.query('select from operators')).rejects.toMatchObject({ code: '42501' })
  await expect(gateway.pool.query('insert into operator_log (seq) values (1)')).rejects.toMatchObject({ code: '42501' })
  await gateway.close()
})
