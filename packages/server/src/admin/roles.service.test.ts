import { randomUUID } from 'node:crypto'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { operatorRoles } from 'latchkey-protocol/admin'
import { afterAll, expect, test } from 'vitest'
import { createOperator, endOperator } from '../store/operators.ts'
import { routes } from './routes.ts'

const admin = await startTestAdmin({ limits: { writesPerOperator: { limit: 10_000, windowMs: 60_000 } } })
afterAll(() => admin.close())

/** Repeats each call's minimum role, so that a change in `routes` also requires a change here. */
const roles: Record<string, string> = {
  'get /overview': 'viewer',
  'get /projects': 'viewer',
  'get /projects/{projectId}': 'viewer',
  'post /projects/{projectId}/try': 'viewer',
  'get /projects/{projectId}/api-keys': 'viewer',
  'post /projects/{projectId}/api-keys': 'operator',
  'patch /projects/{projectId}/api-keys/{keyId}': 'operator',
  'post /projects/{projectId}/api-keys/{keyId}/rotate': 'operator',
  'post /projects/{projectId}/api-keys/{keyId}/disable': 'operator',
  'get /projects/{projectId}/policies': 'viewer',
  'get /projects/{projectId}/policies/{policyId}': 'viewer',
  'post /projects/{projectId}/policies': 'operator',
  'put /projects/{projectId}/policies/{policyId}': 'operator',
  'post /projects/{projectId}/policies/{policyId}/pause': 'operator',
  'post /projects/{projectId}/policies/{policyId}/resume': 'operator',
  'post /projects/{projectId}/policies/{policyId}/default': 'operator',
  'post /projects/{projectId}/policies/{policyId}/test': 'viewer',
  'get /projects/{projectId}/spend': 'viewer',
  'get /operations': 'viewer',
  'get /operations/{userOpHash}': 'viewer',
  'get /operations/{userOpHash}/calls': 'viewer',
  'post /operations/{userOpHash}/resend': 'operator',
  'get /projects/{projectId}/operations/events': 'viewer',
  'get /projects/{projectId}/webhooks': 'viewer',
  'get /projects/{projectId}/webhooks/{endpointId}/deliveries': 'viewer',
  'post /projects/{projectId}/webhooks/{endpointId}/replay': 'operator',
  'get /mails': 'viewer',
  'get /chains': 'viewer',
  'get /chains/{chainId}/read': 'viewer',
  'get /health': 'viewer',
  'get /security-events': 'operator',
  'get /users': 'viewer',
  'get /users/{organizationId}': 'viewer',
  'post /users/{organizationId}/activities': 'operator',
  'delete /users/{organizationId}/deletion-request': 'admin',
  'get /operator': 'viewer',
  'get /operators': 'admin',
  'post /operators': 'admin',
  'post /operators/{operatorId}/rotate': 'admin',
  'delete /operators/{operatorId}': 'admin',
  'get /console-operators': 'admin',
  'post /console-operators/{operatorId}/sign-out': 'admin',
  'delete /session': 'viewer',
  'get /log': 'viewer',
  'get /log/chain': 'viewer',
}
const samples: Record<string, string> = {
  projectId: 'shop',
  keyId: randomUUID(),
  policyId: 'none',
  userOpHash: `0x${'ab'.repeat(32)}`,
  endpointId: 'main',
  organizationId: randomUUID(),
  operatorId: randomUUID(),
  chainId: '1',
}

test('assigns the listed role to every call and no writes to viewers', () => {
  expect(Object.fromEntries(routes.map(({ method, path, role }) => [`${method} ${path}`, role]))).toEqual(roles)
  const ofViewers = routes.filter(({ isWrite, role }) => isWrite && role === 'viewer')
  expect(ofViewers.map(({ name }) => name)).toEqual(['session.end'])
  // Only an admin may manage operators' keys.
  const ofOperators = routes.filter(({ path }) => path.startsWith('/operators'))
  expect(new Set(ofOperators.map(({ role }) => role))).toEqual(new Set(['admin']))
  expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length)
})

test.each(Object.entries(roles))('refuses %s to other roles and unknown keys', async (call, least) => {
  const [method = '', template = ''] = call.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => samples[name] ?? '')
  const { secret, operator } = await createOperator(admin.owner.db, { key: admin.key, name: 'Removed', role: 'admin' })
  await endOperator(admin.owner.db, { key: admin.key, id: operator.id })
  const expired = { key: admin.key, name: 'Ended', role: 'admin', expiresAt: new Date(Date.now() - 1) } as const
  const ended = await createOperator(admin.owner.db, expired)
  const wrong = `lko_${'0'.repeat(32)}_${'A'.repeat(43)}`
  for (const as of ['', 'nonsense', wrong, secret, ended.secret]) {
    const { status, body } = await admin.call(method, path, { as })
    expect([call, status, body.error.code]).toEqual([call, 401, 'UNAUTHENTICATED'])
  }
  for (const role of operatorRoles) {
    const isAllowed = operatorRoles.indexOf(role) >= roleIndex(least)
    if (isAllowed && template.endsWith('/events')) continue
    const { status, body } = await admin.call(method, path, { as: role, body: method === 'get' ? undefined : {} })
    if (!isAllowed) expect([call, role, status, body.error.code]).toEqual([call, role, 403, 'ROLE_NOT_ALLOWED'])
    else expect([call, role, [200, 201, 400, 404, 428].includes(status)]).toEqual([call, role, true])
  }
})

const order: readonly string[] = operatorRoles
const roleIndex = (role: string) => order.indexOf(role)

test('logs refused calls, even with an unreadable body', async () => {
  const requestId = randomUUID()
  const headers = { 'x-request-id': requestId }
  const path = '/projects/shop/policies/none/pause'
  expect((await admin.call('post', path, { as: 'viewer', body: '{', headers })).status).toBe(403)
  const { body } = await admin.call('get', '/log?limit=1', { as: 'viewer' })
  const by = { operatorName: 'The viewer', role: 'viewer', outcome: 'refused', code: 'ROLE_NOT_ALLOWED', requestId }
  expect(body.items).toMatchObject([{ action: 'policy.pause', projectId: 'shop', target: 'none', ...by }])
})

test('refuses a role forged in the database and keys of projects', async () => {
  const { secret, operator } = await createOperator(admin.owner.db, { key: admin.key, name: 'Small', role: 'viewer' })
  await admin.owner.pool.query(`update operators set role = 'admin' where id = $1`, [operator.id])
  expect((await admin.call('get', '/operator', { as: secret })).status).toBe(401)
  const { body } = await admin.call('get', '/operators')
  expect(body.items.find(({ id }: { id: string }) => id === operator.id)).toMatchObject({ genuine: false })
  expect((await admin.call('get', '/operator', { as: 'first-key-of-shop' })).status).toBe(401)
})

test('creates, rotates and removes operator keys; a removed key ends at once', async () => {
  const made = await admin.call('post', '/operators', { body: { name: 'Grace', role: 'operator' } })
  expect([made.status, made.body.operator.role]).toEqual([201, 'operator'])
  const { secret } = made.body
  expect((await admin.call('get', '/operator', { as: secret })).body).toMatchObject({ name: 'Grace', role: 'operator' })
  const rotated = await admin.call('post', `/operators/${made.body.operator.id}/rotate`, { body: {} })
  for (const as of [secret, rotated.body.secret])
    expect((await admin.call('get', '/operator', { as })).status).toBe(200)
  expect((await admin.call('delete', `/operators/${made.body.operator.id}`)).body.removedAt).not.toBeNull()
  expect((await admin.call('get', '/operator', { as: secret })).status).toBe(401)
  const again = await admin.call('delete', `/operators/${made.body.operator.id}`)
  expect([again.status, again.body.error.code]).toEqual([409, 'STATE_CONFLICT'])
  const log = (await admin.call('get', '/log?limit=4')).body.items
  expect(log.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`)).toEqual([
    'operator.remove refused',
    'operator.remove done',
    'operator.rotate done',
    'operator.create done',
  ])
  expect(JSON.stringify(log)).not.toContain(secret.slice(-20))
})
