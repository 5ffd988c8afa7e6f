import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { headers, operatorActivityTypes as types } from 'latchkey-protocol'
import type { OperatorRole } from 'latchkey-protocol/admin'
import { afterAll, expect, test } from 'vitest'
import { listen } from '../platform/http/listen.ts'
import { verifyOperatorLog } from '../store/operatorLog.ts'
import { verifyRegistration } from '../webauthn/verifyRegistration.ts'
import { adminApp } from './app.ts'

const url = 'https://console.example'
const names = { Ada: 'admin', Bea: 'admin', Otto: 'operator', Vera: 'viewer' } as const satisfies Record<
  string,
  OperatorRole
>
type Name = keyof typeof names
const passkeys = new Map(
  Object.keys(names).map((name) => [name, createAuthenticator({ rpId: 'console.example', origin: url })]),
)
const operators = Object.entries(names).map(([name, role]) => {
  const { challenge, attestation } = device(name as Name).register()
  const { credentialId, publicKey } = verifyRegistration({ challenge, attestation, allowedOrigins: [url] })
  return { id: randomUUID(), name, role, passkeys: [{ credentialId, publicKey }] }
})

function device(name: Name) {
  const found = passkeys.get(name)
  if (!found) throw new TypeError(name)
  return found
}

const sessions: Partial<Record<Name, string>> = {}
const console = { url, operators }
const custody = await startTestCustody({ console })
const custodyServer = await listen((request, env) => custody.app.fetch(request, env), { port: 0 })
const admin = await startTestAdmin({ databaseUrl: custody.store.databaseUrl, console, custodyUrl: custodyServer.url })
for (const name of Object.keys(names) as Name[]) {
  const { challenge } = (await admin.call('post', '/sessions/challenge', { as: '' })).body
  const body = JSON.stringify({ challenge })
  const stamp = { [headers.webauthnStamp]: device(name).stamp(body) }
  sessions[name] = (await admin.call('post', '/sessions', { as: '', body, headers: stamp })).body.secret
}
afterAll(async () => {
  await admin.close()
  await custodyServer.close()
  await custody.close()
})

type Act = { body?: string; stampedBy?: Name; parameters?: object }

const write = (type: string, organizationId: string, parameters: object = {}) =>
  JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters })
function act(name: Name, type: string, organizationId: string, options: Act = {}) {
  const { parameters, stampedBy = name, body = write(type, organizationId, parameters) } = options
  const stamp = device(stampedBy).stamp(body)
  return admin.call('post', `/users/${organizationId}/activities`, { as: sessions[name], body: { body, stamp } })
}

const show = async (orgId: string) => (await admin.call('get', `/users/${orgId}`, { as: 'viewer' })).body
const last = async () => (await admin.call('get', '/log?limit=1')).body.items[0]

test("freezes by an operator's passkey, unfreezes by an admin's, and logs both", async () => {
  const user = await custody.createUser()
  const frozen = await act('Otto', types.freeze, user.orgId)
  expect([frozen.status, frozen.body.state]).toEqual([200, 'done'])
  expect(await last()).toMatchObject({
    operatorName: 'Otto',
    action: 'user.activity',
    target: user.orgId,
    outcome: 'done',
  })
  expect((await show(user.orgId)).frozenAt).toMatch(/Z$/)
  expect((await act('Otto', types.unfreeze, user.orgId)).body.error.code).toBe('REQUEST_NOT_AUTHORIZED')
  expect(await last()).toMatchObject({ operatorName: 'Otto', outcome: 'refused', code: 'REQUEST_NOT_AUTHORIZED' })
  expect((await act('Ada', types.unfreeze, user.orgId)).status).toBe(200)
  expect((await show(user.orgId)).frozenAt).toBeNull()
  const types_ = 'select type from activity_log where org_id = $1 order by seq'
  const { rows } = await custody.store.pool.query(types_, [user.orgId])
  expect(rows.map(({ type }) => type)).toEqual([types.freeze, types.unfreeze])
  expect((await verifyOperatorLog(admin.owner.db, { key: admin.key })).bad).toBeUndefined()
})

test('deletes nothing for a stamp planted in the database', async () => {
  const user = await custody.createUser()
  const body = write(types.deleteAccount, user.orgId)
  // Simulates an attacker with database access who sets Ada as the operator but stamps with another passkey.
  const stamp = createAuthenticator({ rpId: 'console.example', origin: url }).stamp(body)
  const [ada] = operators
  await admin.owner.pool.query(
    `insert into operator_requests (id, org_id, operator_id, body, stamp, created_at) values ($1, $2, $3, $4, $5, now())`,
    [randomUUID(), user.orgId, ada?.id, body, stamp],
  )
  const reply = await act('Bea', types.deleteAccount, user.orgId, { body })
  expect([reply.status, reply.body.error.code]).toEqual([401, 'CREDENTIAL_NOT_FOUND'])
  expect((await show(user.orgId)).deletion).toBeNull()
})

test('refuses viewers, foreign stamps, plain keys, other accounts and other activities', async () => {
  const user = await custody.createUser()
  const other = await custody.createUser()
  expect((await act('Vera', types.freeze, user.orgId)).body.error.code).toBe('ROLE_NOT_ALLOWED')
  expect((await act('Otto', types.freeze, user.orgId, { stampedBy: 'Ada' })).body.error.code).toBe('ROLE_NOT_ALLOWED')
  const body = write(types.freeze, user.orgId)
  const stamp = device('Ada').stamp(body)
  const send = (path: string, given: object, as = 'admin') => admin.call('post', path, { as, body: given })
  const path = `/users/${user.orgId}/activities`
  expect((await send(path, { body, stamp })).body.error.code).toBe('ROLE_NOT_ALLOWED')
  const crossed = await send(`/users/${other.orgId}/activities`, { body, stamp }, sessions.Ada)
  expect(crossed.body.error.code).toBe('REQUEST_INVALID')
  const signing = body.replace(types.freeze, 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')
  expect((await send(path, { body: signing, stamp: device('Ada').stamp(signing) }, sessions.Ada)).body.error.code).toBe(
    'REQUEST_INVALID',
  )
  expect((await show(user.orgId)).frozenAt).toBeNull()
})

test('changes nothing when custody is unreachable or not configured', async () => {
  const user = await custody.createUser()
  const body = write(types.freeze, user.orgId)
  const given = { body, stamp: device('Otto').stamp(body) }
  for (const [custodyUrl, status, code] of [
    ['http://127.0.0.1:1', 502, 'NETWORK_UNREACHABLE'],
    [undefined, 500, 'CONFIG_INVALID'],
  ] as const) {
    const app = adminApp({ ...admin.deps, custodyUrl })
    const reply = await admin.call('post', `/users/${user.orgId}/activities`, { as: sessions.Otto, body: given, app })
    expect([reply.status, reply.body.error.code]).toEqual([status, code])
  }
  expect((await show(user.orgId)).frozenAt).toBeNull()
})
