import { randomUUID } from 'node:crypto'
import { createAuthenticator, type Deviation } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { operatorActivitiesPath, operatorActivityTypes as types } from 'latchkey-protocol'
import type { OperatorRole } from 'latchkey-protocol/admin'
import { afterAll, expect, test } from 'vitest'
import { verifyRegistration } from '../../webauthn/verifyRegistration.ts'
import { custodyApp } from '../app.ts'
import { verifyLog } from '../audit/verifyLog.ts'
import { readMacKey } from '../macKey.ts'

const url = 'https://console.example'
const names = ['Ada', 'Bea', 'Otto', 'Vera', 'stranger'] as const
type Name = (typeof names)[number]
const roles: Partial<Record<Name, OperatorRole>> = { Ada: 'admin', Bea: 'admin', Otto: 'operator', Vera: 'viewer' }
const passkeys = Object.fromEntries(
  names.map((name) => [name, createAuthenticator({ rpId: 'console.example', origin: url })]),
)
const operators = Object.entries(roles).map(([name, role]) => {
  const { challenge, attestation } = passkey(name as Name).register()
  const { credentialId, publicKey } = verifyRegistration({ challenge, attestation, allowedOrigins: [url] })
  return { id: randomUUID(), name, role, passkeys: [{ credentialId, publicKey }] }
})

function passkey(name: Name) {
  const found = passkeys[name]
  if (!found) throw new TypeError(name)
  return found
}

const custody = await startTestCustody({ console: { url, operators } })
afterAll(() => custody.close())

const { submit, whoami, addKeys } = custodyCalls(() => custody)

type Ask = { by?: readonly Name[]; parameters?: object; deviation?: Deviation; ageMs?: number; text?: string }

const toText = (type: string, organizationId: string, { parameters = {}, ageMs = 0 }: Ask = {}) => {
  const { now = Date.now } = custody.deps
  return JSON.stringify({ type, timestampMs: String(now() - ageMs), organizationId, parameters, nonce: undefined })
}

async function act(type: string, organizationId: string, ask: Ask = {}) {
  const { by = ['Ada'], deviation } = ask
  const body = ask.text ?? toText(type, organizationId, ask)
  const stamps = by.map((name) => passkey(name).stamp(body, deviation))
  return custody.send(operatorActivitiesPath, JSON.stringify({ body, stamps }))
}

const refused = (status: number, turnkeyErrorCode: string) => ({
  status,
  body: { details: expect.arrayContaining([expect.objectContaining({ turnkeyErrorCode })]) },
})
const sign = (who: TestUser) => custody.call('submit/sign_raw_payload', custody.signing(who), who.key)

async function assertLogWhole(): Promise<void> {
  const { db, keyEncryption } = custody.deps
  expect(await verifyLog(db, await readMacKey(db, keyEncryption))).not.toHaveProperty('bad')
}

test('freezes an account until another admin lifts it', async () => {
  const user = await custody.createUser()
  expect((await sign(user)).status).toBe(200)
  expect(await act(types.freeze, user.orgId, { by: ['Otto'] })).toMatchObject({
    status: 200,
    body: { organizationId: user.orgId },
  })
  const frozen = refused(403, 'ORGANIZATION_FROZEN')
  expect(await sign(user)).toMatchObject(frozen)
  expect(await addKeys(user, [newApiKey().parameters])).toMatchObject(frozen)
  expect(await submit('delete_sub_organization', user, { deleteWithoutExport: true })).toMatchObject(frozen)
  expect(await whoami(user.orgId, user.key)).toBe(403)
  expect(await whoami(custody.rootOrganizationId, user.key)).toBe(403)
  expect(await act(types.freeze, user.orgId, { by: ['Ada'] })).toMatchObject(refused(409, 'STATE_CONFLICT'))
  // Write access to the database cannot lift the freeze.
  const { rows } = await custody.store.pool.query('select frozen_at from organizations where id = $1', [user.orgId])
  const write = (at: Date | null) =>
    custody.store.pool.query('update organizations set frozen_at = $2 where id = $1', [user.orgId, at])
  await write(null)
  expect(await sign(user)).toMatchObject(refused(404, 'ORGANIZATION_NOT_FOUND'))
  await write(rows[0].frozen_at)

  expect(await act(types.unfreeze, user.orgId, { by: ['Otto'] })).toMatchObject(refused(403, 'REQUEST_NOT_AUTHORIZED'))
  expect((await act(types.unfreeze, user.orgId, { by: ['Bea'] })).status).toBe(200)
  expect((await sign(user)).status).toBe(200)
  expect(await act(types.unfreeze, user.orgId, { by: ['Bea'] })).toMatchObject(refused(409, 'STATE_CONFLICT'))
  await act(types.freeze, user.orgId, { by: ['Ada'] })
  expect(await act(types.unfreeze, user.orgId, { by: ['Ada'] })).toMatchObject(refused(403, 'REQUEST_NOT_AUTHORIZED'))
  expect((await act(types.unfreeze, user.orgId, { by: ['Bea'] })).status).toBe(200)
  await assertLogWhole()
})

test('refuses an operator whom a changed configuration no longer names', async () => {
  const user = await custody.createUser()
  custody.deps.console = { url, operators: operators.filter(({ name }) => name !== 'Otto') }
  try {
    expect((await act(types.freeze, user.orgId, { by: ['Otto'] })).status).toBe(401)
    expect((await sign(user)).status).toBe(200)
  } finally {
    custody.deps.console = { url, operators }
  }
  expect((await act(types.freeze, user.orgId, { by: ['Otto'] })).status).toBe(200)
})

test('fails pending requests of a frozen account', async () => {
  const waiting = await startTestCustody({ console: { url, operators }, project: { confirmations: 'mail' } })
  try {
    const user = await waiting.createUser()
    const { targetPublicKey } = await createTestFrame()
    const parameters = { address: user.address, targetPublicKey }
    const request = waiting.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', user.orgId, parameters)
    const { activity } = (await waiting.call('submit/export_wallet_account', request, user.key)).body
    expect(activity.status).toBe('ACTIVITY_STATUS_PENDING')
    const body = toText(types.freeze, user.orgId)
    const freeze = JSON.stringify({ body, stamps: [passkey('Otto').stamp(body)] })
    expect((await waiting.send(operatorActivitiesPath, freeze)).status).toBe(200)
    expect((await waiting.decide(activity.id)).body.confirmation).toMatchObject({ state: 'failed' })
    const { rows } = await waiting.store.pool.query('select status, result from activities where id = $1', [
      activity.id,
    ])
    expect(rows).toMatchObject([{ status: 'ACTIVITY_STATUS_FAILED', result: {} }])
  } finally {
    await waiting.close()
  }
})

test('tells only the mailbox about a freeze, while sign-in answers look the same', async () => {
  const user = await custody.createUser()
  const { targetPublicKey } = await createTestFrame()
  const askForMail = async () => {
    const mail = { email: user.email, targetPublicKey }
    const emailAuth = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, mail)
    const { body } = await custody.call('submit/email_auth', emailAuth, custody.rootKey)
    return { id: body.activity.id, ...body.activity.result.emailAuthResult }
  }
  const enter = (otpId: string, otpCode: string) => {
    const otpAuth = custody.activity('ACTIVITY_TYPE_OTP_AUTH', user.orgId, { otpId, otpCode, targetPublicKey })
    return custody.send('/public/v1/submit/otp_auth', JSON.stringify(otpAuth))
  }
  const before = await askForMail()
  const { content } = await custody.readQueued(before.id, 'sign-in')
  const code = 'code' in content ? (content.code ?? '') : ''
  const wrong = String((Number(code) + 1) % 1e9).padStart(9, '0')
  const { body: freeze } = await act(types.freeze, user.orgId, { by: ['Otto'] })
  const { rows } = await custody.store.pool.query('select frozen_at from organizations where id = $1', [user.orgId])
  expect((await custody.readQueued(freeze.activityId, 'account-frozen')).to).toBe(user.email)

  const asked = await askForMail()
  expect(Object.keys(asked)).toEqual(Object.keys(before))
  expect(asked.otpLength).toBe(before.otpLength)
  const happenedAtMs = rows[0].frozen_at.getTime()
  expect(await custody.readQueued(asked.id, 'account-frozen')).toMatchObject({
    to: user.email,
    content: { happenedAtMs },
  })
  const keys = custody.store.db.selectFrom('credentials').select('id').where('id', '=', asked.apiKeyId)
  expect(await keys.execute()).toEqual([])

  // A wrong code gets the usual response, and an earlier correct code opens nothing.
  expect(await enter(asked.otpId, code)).toMatchObject(refused(400, 'OTP_EXPIRED'))
  expect(await enter(before.otpId, wrong)).toMatchObject(refused(400, 'OTP_INVALID'))
  expect(await enter(before.otpId, code)).toMatchObject(refused(403, 'ORGANIZATION_FROZEN'))
  const { body: lift } = await act(types.unfreeze, user.orgId, { by: ['Bea'] })
  expect((await custody.readQueued(lift.activityId, 'account-unfrozen')).to).toBe(user.email)
  expect((await enter(before.otpId, code)).status).toBe(200)
})

test('ends sessions once per request and keeps passkeys and keys', async () => {
  const device = createAuthenticator()
  const user = await custody.createUser({ passkeys: [device.register()] })
  const byPasskey = (apiKeys: object[]) =>
    custody.callByPasskey(
      'submit/create_api_keys',
      custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS', user.orgId, { userId: user.userId, apiKeys }),
      device,
    )
  const [session, later] = [newApiKey({ expirationSeconds: '900' }), newApiKey({ expirationSeconds: '900' })]
  const lasting = newApiKey()
  expect((await byPasskey([session.parameters, lasting.parameters])).status).toBe(200)
  expect(await whoami(user.orgId, session.key)).toBe(200)
  const text = toText(types.endSessions, user.orgId)
  const first = await act(types.endSessions, user.orgId, { text, by: ['Otto'] })
  expect(await whoami(user.orgId, session.key)).toBe(401)
  expect(await whoami(user.orgId, lasting.key)).toBe(200)
  expect((await byPasskey([later.parameters])).status).toBe(200)
  expect(await act(types.endSessions, user.orgId, { text, by: ['Otto'] })).toEqual(first)
  expect(await whoami(user.orgId, later.key)).toBe(200)
  const { rows } = await custody.store.pool.query(
    `select stamp, user_id, convert_from(body, 'UTF8') as body from activity_log where org_id = $1 and type = $2`,
    [user.orgId, types.endSessions],
  )
  const otto = operators.find(({ name }) => name === 'Otto')
  expect(rows).toEqual([{ body: text, user_id: otto?.id, stamp: expect.stringMatching(/^X-Stamp-Webauthn: \{/i) }])
  await assertLogWhole()
  const setKey = async (publicKey = '') => {
    const { pool } = custody.store
    await pool.query('alter table activity_log disable trigger all')
    await pool.query('update activity_log set credential_public_key = $2 where type = $1', [
      types.endSessions,
      publicKey,
    ])
    await pool.query('alter table activity_log enable trigger all')
  }
  await setKey()
  const { db, keyEncryption } = custody.deps
  expect(await verifyLog(db, await readMacKey(db, keyEncryption))).toHaveProperty('bad')
  await setKey(otto?.passkeys[0]?.publicKey)
  await assertLogWhole()
})

test('removes a credential and mails a notice, but keeps the only sign-in method', async () => {
  const user = await custody.createUser()
  const added = newApiKey()
  const { body } = await addKeys(user, [added.parameters])
  const [credentialId] = body.activity.result.createApiKeysResult.apiKeyIds
  const removed = await act(types.removeCredential, user.orgId, { parameters: { credentialId } })
  expect(removed.status).toBe(200)
  expect(await whoami(user.orgId, added.key)).toBe(401)
  expect((await custody.readQueued(removed.body.activityId, 'credential-removed')).content).toBeDefined()
  const again = await act(types.removeCredential, user.orgId, { parameters: { credentialId }, ageMs: 1_000 })
  expect(again).toMatchObject(refused(404, 'NOT_FOUND'))
  const other = await custody.createUser()
  const foreignQuery = custody.store.db.selectFrom('credentials').select('id').where('org_id', '=', other.orgId)
  const foreign = await foreignQuery.executeTakeFirstOrThrow()
  expect(await act(types.removeCredential, user.orgId, { parameters: { credentialId: foreign.id } })).toMatchObject(
    refused(404, 'NOT_FOUND'),
  )

  const alone = await custody.createUser({ passkeys: [createAuthenticator().register()] })
  const noAddress = await submit('update_user_email', alone, { userId: alone.userId, userEmail: '' })
  expect(noAddress).toMatchObject({ status: 200, body: { activity: { status: 'ACTIVITY_STATUS_COMPLETED' } } })
  const only = await custody.store.db
    .selectFrom('credentials')
    .select('id')
    .where('org_id', '=', alone.orgId)
    .where('kind', '=', 'passkey')
    .executeTakeFirstOrThrow()
  expect(await act(types.removeCredential, alone.orgId, { parameters: { credentialId: only.id } })).toMatchObject(
    refused(409, 'STATE_CONFLICT'),
  )
  expect(await whoami(alone.orgId, alone.key)).toBe(200)
})

test('ends one session of a user and keeps the others', async () => {
  const user = await custody.createUser()
  const sessions = [1, 2].map(() => newApiKey({ expirationSeconds: '900' }))
  const { body } = await addKeys(
    user,
    sessions.map(({ parameters }) => parameters),
  )
  const [credentialId] = body.activity.result.createApiKeysResult.apiKeyIds
  const ended = await act(types.removeCredential, user.orgId, { parameters: { credentialId }, by: ['Otto'] })
  expect(ended.status).toBe(200)
  expect(await Promise.all(sessions.map(({ key }) => whoami(user.orgId, key)))).toEqual([401, 200])
  // Ending a session removes no sign-in method, so no mail is sent.
  const mails = custody.store.db.selectFrom('mail_outbox').select('id').where('activity_id', '=', ended.body.activityId)
  expect(await mails.execute()).toEqual([])
})

test('starts a deletion by two admins, which the user cancels by mail', async () => {
  const user = await custody.createUser()
  const text = toText(types.deleteAccount, user.orgId)
  const notAuthorized = refused(403, 'REQUEST_NOT_AUTHORIZED')
  for (const by of [['Ada'], ['Ada', 'Ada'], ['Ada', 'Otto'], ['Otto', 'Vera']] as const)
    expect(await act(types.deleteAccount, user.orgId, { text, by })).toMatchObject(notAuthorized)
  expect((await sign(user)).status).toBe(200)
  // The second admin may sign within a day.
  custody.advance(23 * 3_600_000)
  const done = await act(types.deleteAccount, user.orgId, { text, by: ['Ada', 'Bea'] })
  expect(done.status).toBe(200)
  expect(await sign(user)).toMatchObject(refused(403, 'ORGANIZATION_DELETING'))
  expect(await act(types.deleteAccount, user.orgId, { by: ['Bea', 'Ada'] })).toMatchObject(
    refused(409, 'STATE_CONFLICT'),
  )
  expect((await custody.decide(done.body.activityId, 'accept', 'deletion-planned')).status).toBe(200)
  expect((await sign(user)).status).toBe(200)
  const old = await act(types.deleteAccount, user.orgId, { ageMs: 25 * 3_600_000, by: ['Ada', 'Bea'] })
  expect(old).toMatchObject(refused(400, 'REQUEST_INVALID'))
  await assertLogWhole()
})

test('refuses operator activities of anyone else, and anything else by operators', async () => {
  const user = await custody.createUser({ passkeys: [] })
  const org = user.orgId
  const cases: [string, Promise<unknown>, number, string][] = [
    ['a viewer', act(types.freeze, org, { by: ['Vera'] }), 403, 'REQUEST_NOT_AUTHORIZED'],
    ['a passkey of no operator', act(types.freeze, org, { by: ['stranger'] }), 401, 'CREDENTIAL_NOT_FOUND'],
    ['two where one asks', act(types.freeze, org, { by: ['Ada', 'Bea'] }), 403, 'REQUEST_NOT_AUTHORIZED'],
    [
      'another origin',
      act(types.freeze, org, { deviation: { origin: 'http://localhost:4100' } }),
      401,
      'SIGNATURE_INVALID',
    ],
    ['no check of the user', act(types.freeze, org, { deviation: { flags: 0x01 } }), 401, 'SIGNATURE_INVALID'],
    ['too old', act(types.freeze, org, { ageMs: 2 * 3_600_000 }), 400, 'REQUEST_INVALID'],
    [
      'an activity of users',
      act('ACTIVITY_TYPE_EXPORT_WALLET', org, { parameters: { walletId: 'a' } }),
      400,
      'REQUEST_INVALID',
    ],
    ['no account', act(types.freeze, randomUUID()), 404, 'ORGANIZATION_NOT_FOUND'],
    ['a parent', act(types.freeze, custody.rootOrganizationId), 404, 'ORGANIZATION_NOT_FOUND'],
    ['more than it takes', act(types.freeze, org, { parameters: { more: 1 } }), 400, 'REQUEST_INVALID'],
  ]
  for (const [name, reply, status, code] of cases) expect(await reply, name).toMatchObject(refused(status, code))

  const body = toText(types.freeze, org)
  const swapped = JSON.stringify({ body: body.replace(org, randomUUID()), stamps: [passkey('Ada').stamp(body)] })
  expect(await custody.send(operatorActivitiesPath, swapped)).toMatchObject(refused(401, 'SIGNATURE_INVALID'))
  // The keys of the parent and the user cannot replace an operator's stamp.
  for (const key of [custody.rootKey, user.key]) {
    const path = operatorActivitiesPath.replace('/public/v1/', '')
    expect(await custody.call(path, JSON.parse(body), key)).toMatchObject(refused(400, 'REQUEST_INVALID'))
    const asSubmit = await custody.call('submit/operator_freeze', JSON.parse(body), key)
    expect(asSubmit).toMatchObject(refused(404, 'METHOD_NOT_SUPPORTED'))
  }
  const signing = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', org, { signWith: user.address })
  const signed = await custody.callByPasskey('submit/sign_raw_payload', signing, passkey('Ada'))
  expect(signed.status).toBe(401)
  expect((await sign(user)).status).toBe(200)
})

test('refuses operators without a console and operators removed from its file', async () => {
  const user = await custody.createUser()
  const body = toText(types.freeze, user.orgId)
  const sent = JSON.stringify({ body, stamps: [passkey('Ada').stamp(body)] })
  for (const [console, code] of [
    [undefined, 'METHOD_NOT_SUPPORTED'],
    [{ url, operators: operators.filter(({ name }) => name !== 'Ada') }, 'CREDENTIAL_NOT_FOUND'],
  ] as const) {
    const app = await custodyApp({ ...custody.deps, console })
    const response = await app.request(operatorActivitiesPath, { method: 'POST', body: sent })
    expect((await response.json()).details[0].turnkeyErrorCode).toBe(code)
  }
  expect((await sign(user)).status).toBe(200)
})
