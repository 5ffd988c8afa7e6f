import { randomUUID } from 'node:crypto'
import { createAuthenticator, type Deviation } from '@latchkey/testkit/authenticator'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { headers } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { findOperatorSession, operatorSessionMs } from '../store/operatorSessions.ts'
import { verifyRegistration } from '../webauthn/verifyRegistration.ts'
import { adminApp } from './app.ts'

const url = 'https://console.example'
const makePasskey = () => createAuthenticator({ rpId: 'console.example', origin: url })
const passkeys = { Ada: makePasskey(), Vera: makePasskey(), stranger: makePasskey() }
const operators = [
  { id: randomUUID(), name: 'Ada', role: 'admin' as const, passkeys: [toEntry(passkeys.Ada)] },
  { id: randomUUID(), name: 'Vera', role: 'viewer' as const, passkeys: [toEntry(passkeys.Vera)] },
]
const [ada, vera] = operators as [(typeof operators)[number], (typeof operators)[number]]

function toEntry(passkey: ReturnType<typeof makePasskey>) {
  const { challenge, attestation } = passkey.register()
  const { credentialId, publicKey } = verifyRegistration({ challenge, attestation, allowedOrigins: [url] })
  return { credentialId, publicKey }
}

let aheadMs = 0
const now = () => Date.now() + aheadMs
const admin = await startTestAdmin({ console: { url, operators }, now })
afterAll(() => admin.close())

async function begin(): Promise<string> {
  const { status, body } = await admin.call('post', '/sessions/challenge', { as: '' })
  expect([status, body.rpId]).toEqual([201, 'console.example'])
  return body.challenge
}

type SignIn = { challenge?: string; who?: keyof typeof passkeys; sent?: string; deviation?: Deviation }

async function signIn({ challenge, who = 'Ada', sent, deviation }: SignIn = {}) {
  const body = JSON.stringify({ challenge: challenge ?? (await begin()) })
  const stamp = passkeys[who].stamp(body, deviation)
  return admin.call('post', '/sessions', { as: '', body: sent ?? body, headers: { [headers.webauthnStamp]: stamp } })
}

const self = async (as: string, app?: ReturnType<typeof adminApp>) =>
  (await admin.call('get', '/operator', { as, ...(app && { app }) })).status

test('opens a session by passkey with its role and logs it', async () => {
  const { status, body } = await signIn()
  expect([status, body.operator]).toEqual([201, { id: ada.id, name: 'Ada', role: 'admin' }])
  expect((await admin.call('get', '/operator', { as: body.secret })).body).toEqual(body.operator)
  const log = (await admin.call('get', '/log?limit=1', { as: body.secret })).body.items
  expect(log).toMatchObject([{ operatorId: ada.id, role: 'admin', action: 'session.create', outcome: 'done' }])
  expect(JSON.stringify(log)).not.toContain(body.secret)
  const { rows } = await admin.owner.pool.query('select * from operator_sessions')
  expect(JSON.stringify(rows)).not.toContain(body.secret)
})

test('refuses unknown passkeys and unproven or replayed challenges', async () => {
  const other = makePasskey()
  const used = await begin()
  expect((await signIn({ challenge: used })).status).toBe(201)
  const old = await begin()
  const cases: [string, SignIn, number, string][] = [
    ['a passkey that nobody invited', { who: 'stranger' }, 401, 'CREDENTIAL_NOT_FOUND'],
    ['no user verification', { deviation: { flags: 0x01 } }, 401, 'SIGNATURE_INVALID'],
    ['at another origin', { deviation: { origin: 'https://console.example.evil.example' } }, 401, 'SIGNATURE_INVALID'],
    ['for another relying party', { deviation: { rpId: 'evil.example' } }, 401, 'SIGNATURE_INVALID'],
    ['a registration', { deviation: { type: 'webauthn.create' } }, 401, 'SIGNATURE_INVALID'],
    ['another body', { sent: JSON.stringify({ challenge: old }) }, 401, 'SIGNATURE_INVALID'],
    ['a used challenge', { challenge: used }, 409, 'STATE_CONFLICT'],
    [
      'a made-up challenge',
      { challenge: `${'A'.repeat(22)}.${now() + 1_000}.${'A'.repeat(43)}` },
      400,
      'REQUEST_INVALID',
    ],
    ['no challenge', { challenge: '' }, 400, 'REQUEST_INVALID'],
  ]
  for (const [name, given, status, code] of cases) {
    const reply = await signIn(given)
    expect([name, reply.status, reply.body.error.code]).toEqual([name, status, code])
  }
  const noStamp = await admin.call('post', '/sessions', { as: '', body: { challenge: old } })
  expect([noStamp.status, noStamp.body.error.code]).toEqual([401, 'SIGNATURE_MISSING'])
  const forged = JSON.parse(other.stamp(JSON.stringify({ challenge: old })))
  const stamp = JSON.stringify({ ...forged, credentialId: passkeys.Ada.credentialId })
  const forgery = { body: { challenge: old }, headers: { [headers.webauthnStamp]: stamp } }
  const asAda = await admin.call('post', '/sessions', { as: '', ...forgery })
  expect([asAda.status, asAda.body.error.code]).toEqual([401, 'SIGNATURE_INVALID'])
  aheadMs += 5 * 60_000 + 1
  expect((await signIn({ challenge: old })).body.error.code).toBe('REQUEST_INVALID')
})

test("changes nothing and lists no operators for a viewer's session", async () => {
  const { secret } = (await signIn({ who: 'Vera' })).body
  const path = '/projects/shop/policies/none/pause'
  expect((await admin.call('post', path, { as: secret })).body.error.code).toBe('ROLE_NOT_ALLOWED')
  expect((await admin.call('get', '/console-operators', { as: secret })).status).toBe(403)
})

test('ends a session when idle, at its maximum age, by sign-out and by an admin', async () => {
  const idle = (await signIn()).body.secret
  aheadMs += operatorSessionMs.idle - 61_000
  expect(await self(idle)).toBe(200)
  aheadMs += operatorSessionMs.idle - 61_000
  expect(await self(idle)).toBe(200)
  aheadMs += operatorSessionMs.idle + 1
  expect(await self(idle)).toBe(401)

  const long = (await signIn()).body.secret
  const half = operatorSessionMs.idle / 2
  for (let spent = 0; spent < operatorSessionMs.most - half; spent += half) {
    expect(await self(long)).toBe(200)
    aheadMs += half
  }
  aheadMs += half
  expect(await self(long)).toBe(401)

  const challenge = await begin()
  const out = (await signIn({ challenge })).body.secret
  const stays = (await signIn()).body.secret
  expect((await admin.call('delete', '/session', { as: out })).body).toEqual({ ended: 1 })
  expect([await self(out), await self(stays)]).toEqual([401, 200])
  // The sign-in request cannot be replayed.
  expect((await signIn({ challenge })).body.error.code).toBe('STATE_CONFLICT')

  const viewer = (await signIn({ who: 'Vera' })).body.secret
  const { items } = (await admin.call('get', '/console-operators', { as: stays })).body
  expect(items).toEqual([
    { id: ada.id, name: 'Ada', role: 'admin', passkeys: 1, sessions: 1 },
    { id: vera.id, name: 'Vera', role: 'viewer', passkeys: 1, sessions: 1 },
  ])
  const ended = await admin.call('post', `/console-operators/${vera.id}/sign-out`, { as: stays, body: {} })
  expect(ended.body).toEqual({ ended: 1 })
  expect([await self(viewer), await self(stays)]).toEqual([401, 200])
})

test('trusts the configuration over the database for operators, roles and sessions', async () => {
  const { secret } = (await signIn()).body
  const withOperators = (list: typeof operators) => adminApp({ ...admin.deps, console: { url, operators: list } })
  expect(await self(secret, withOperators([vera]))).toBe(401)
  const lowered = withOperators([{ ...ada, role: 'viewer' }])
  expect((await admin.call('get', '/operator', { as: secret, app: lowered })).body.role).toBe('viewer')
  const viewer = (await signIn({ who: 'Vera' })).body.secret
  const move = 'update operator_sessions set operator_id = $1 where operator_id = $2'
  await admin.owner.pool.query(move, [ada.id, vera.id])
  expect(await self(viewer)).toBe(401)
  const forgeries: string[] = []
  const onForgery = (id: string) => forgeries.push(id)
  const { key, owner } = admin
  expect(await findOperatorSession(owner.db, { key, now, secret: viewer, onForgery })).toBeNull()
  expect(forgeries).toEqual([ada.id])
  await admin.owner.pool.query(`update operator_sessions set expires_at = now() + interval '9 years'`)
  expect(await self(secret)).toBe(401)
  expect(await self(`lks_${'0'.repeat(32)}_${'A'.repeat(43)}`)).toBe(401)
})

test('refuses an operator whom a changed configuration no longer names', async () => {
  const deps = { ...admin.deps, console: { url, operators } }
  const app = adminApp(deps)
  const open = async () => {
    const body = JSON.stringify({ challenge: await begin() })
    const stamp = { [headers.webauthnStamp]: passkeys.Ada.stamp(body) }
    return admin.call('post', '/sessions', { as: '', body, headers: stamp, app })
  }
  const { status, body } = await open()
  expect([status, await self(body.secret, app)]).toEqual([201, 200])
  deps.console = { url, operators: [vera] }
  expect([(await open()).status, await self(body.secret, app)]).toEqual([401, 401])
})

test('limits sign-ins per address and offers none without a console', async () => {
  const bare = adminApp({ ...admin.deps, console: undefined })
  const none = await admin.call('post', '/sessions/challenge', { as: '', app: bare })
  expect([none.status, none.body.error.code]).toEqual([404, 'NOT_FOUND'])
  const limits = { signInsPerIp: { limit: 2, windowMs: 60_000 } }
  const strict = adminApp({ ...admin.deps, exemptLoopback: false, limits })
  const ask = async () => (await admin.call('post', '/sessions/challenge', { as: '', app: strict })).status
  expect([await ask(), await ask(), await ask()]).toEqual([201, 201, 429])
})
