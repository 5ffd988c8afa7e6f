import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createCarefulProject } from '@latchkey/testkit/carefulProject'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../../platform/crypto/createStamp.ts'
import { custodyApp } from '../app.ts'

const custody = await startTestCustody({ project: { confirmations: 'mail' } })
afterAll(() => custody.close())

const { submit, whoami } = custodyCalls(() => custody)
const minuteMs = 60_000
const dayMs = 1_440 * minuteMs
const passkeys = (...added: ReturnType<typeof createAuthenticator>[]) =>
  added.map((passkey) => ({ authenticatorName: 'passkey-1', ...passkey.register() }))

const exportBy = async (who: Omit<TestUser, 'key'>, passkey: ReturnType<typeof createAuthenticator>) => {
  const { targetPublicKey } = await createTestFrame()
  const request = custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', who.orgId, {
    address: who.address,
    targetPublicKey,
  })
  return custody.callByPasskey('submit/export_wallet_account', request, passkey)
}

const addKeyBy = (who: Omit<TestUser, 'key'>, passkey: ReturnType<typeof createAuthenticator>) => {
  const parameters = { userId: who.userId, apiKeys: [newApiKey().parameters] }
  const request = custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS_V2', who.orgId, parameters)
  return custody.callByPasskey('submit/create_api_keys', request, passkey)
}

test('accepts a passkey in place of an email a day after the passkey was itself confirmed', async () => {
  const [first, second] = [createAuthenticator(), createAuthenticator()]
  const user = await custody.createUser({ passkeys: [first.register()] })
  const added = { userId: user.userId, authenticators: passkeys(second) }
  const { body } = await submit('create_authenticators', user, added, '_V2')
  expect((await custody.decide(body.activity.id)).status).toBe(200)
  expect((await addKeyBy(user, second)).body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
  custody.advance(dayMs)
  expect((await addKeyBy(user, second)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  // The first passkey was not confirmed by e-mail, so a page script could have added it.
  expect((await addKeyBy(user, first)).body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
})

test('does not accept a passkey that a proven passkey added without an email', async () => {
  const [proven, added] = [createAuthenticator(), createAuthenticator()]
  const user = await custody.createUser({ passkeys: [createAuthenticator().register()] })
  const toRequest = (passkey: ReturnType<typeof createAuthenticator>) =>
    custody.activity('ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', user.orgId, {
      userId: user.userId,
      authenticators: passkeys(passkey),
    })
  const { body } = await custody.call('submit/create_authenticators', toRequest(proven), user.key)
  await custody.decide(body.activity.id)
  custody.advance(dayMs)
  const byProven = await custody.callByPasskey('submit/create_authenticators', toRequest(added), proven)
  expect(byProven.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  custody.advance(dayMs)
  expect((await addKeyBy(user, added)).body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
})

test('lets a passkey of any age begin sessions', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const request = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', user.orgId, { publicKey: newApiKey().key.publicKey })
  const { body } = await custody.callByPasskey('submit/stamp_login', request, passkey)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('requires the passkey from a user without an address', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const { orgId, userId } = user
  await submit('update_user', user, { userId, userEmail: '' }).then(({ body }) => custody.decide(body.activity.id))
  const refused = await submit('export_wallet_account', user, {
    address: user.address,
    targetPublicKey: (await createTestFrame()).targetPublicKey,
  })
  expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('Use your passkey') } })
  expect((await exportBy({ ...user, orgId }, passkey)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('asks for an address first with `withoutAddress: address-first`', async () => {
  const strict = await startTestCustody({ project: { confirmations: 'mail', withoutAddress: 'address-first' } })
  try {
    const passkey = createAuthenticator()
    const user = await strict.createUser({ passkeys: [passkey.register()] })
    const call = (type: string, parameters: object) =>
      strict.callByPasskey(
        `submit/${type}`,
        strict.activity(`ACTIVITY_TYPE_${type.toUpperCase()}`, user.orgId, parameters),
        passkey,
      )
    const { body } = await call('update_user', { userId: user.userId, userEmail: '' })
    await strict.decide(body.activity.id)
    const { targetPublicKey } = await createTestFrame()
    const refused = await call('export_wallet_account', { address: user.address, targetPublicKey })
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('Add an email address first') },
    })
    const added = await call('update_user', { userId: user.userId, userEmail: 'new@example.com' })
    expect(added.body.activity).toMatchObject({
      status: 'ACTIVITY_STATUS_PENDING',
      confirmation: { to: 'new@example.com' },
    })
    expect((await strict.decide(added.body.activity.id, 'accept', 'prove')).body.confirmation.state).toBe('confirmed')
  } finally {
    await strict.close()
  }
})

test('adds the first passkey after a mail sign-up and mails a link that undoes it', async () => {
  const { user, key } = await signUpByMail()
  const add = (passkey: ReturnType<typeof createAuthenticator>) =>
    submit('create_authenticators', { ...user, key }, { userId: user.userId, authenticators: passkeys(passkey) }, '_V2')
  const { targetPublicKey } = await createTestFrame()
  // Only the passkey is exempt from confirmation.
  const exported = await submit('export_wallet_account', { ...user, key }, { address: user.address, targetPublicKey })
  expect(exported.body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
  const [first, second] = [createAuthenticator(), createAuthenticator()]
  const { body } = await add(first)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await add(second)).body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
  const request = custody.activity('ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', user.orgId, {
    userId: user.userId,
    authenticators: passkeys(second),
  })
  const byFirst = await custody.callByPasskey('submit/create_authenticators', request, first)
  expect(byFirst.body.activity.status).toBe('ACTIVITY_STATUS_PENDING')

  const undone = await custody.decide(body.activity.id, 'accept', 'passkey-added')
  expect(undone.body.confirmation).toMatchObject({ kind: 'undo', state: 'confirmed' })
  expect(await whoami(user.orgId, key)).toBe(401)
  const query = { organizationId: user.orgId }
  expect((await custody.callByPasskey('query/whoami', query, first)).status).toBe(401)
  const again = await custody.decide(body.activity.id, 'accept', 'passkey-added')
  expect(again).toMatchObject({ status: 400, body: { message: expect.stringContaining('decided already') } })
})

test('cancels pending requests, but not the undo link, when the address changes', async () => {
  const { user, key } = await signUpByMail()
  const added = { userId: user.userId, authenticators: passkeys(createAuthenticator()) }
  const { body } = await submit('create_authenticators', { ...user, key }, added, '_V2')
  const asked = await submit(
    'create_api_keys',
    { ...user, key },
    { userId: user.userId, apiKeys: [newApiKey().parameters] },
  )
  const changed = { userId: user.userId, userEmail: `new.${user.email}` }
  const change = await submit('update_user', { ...user, key }, changed)
  expect((await custody.decide(change.body.activity.id)).body.confirmation.state).toBe('passed-on')
  expect((await custody.decide(change.body.activity.id, 'accept', 'prove')).body.confirmation.state).toBe('confirmed')
  expect((await custody.decide(asked.body.activity.id)).status).toBe(404)
  const undone = await custody.decide(body.activity.id, 'accept', 'passkey-added')
  expect(undone.body.confirmation).toMatchObject({ kind: 'undo', state: 'confirmed' })
})

test('asks for confirmation of a passkey added later than the sign-up', async () => {
  const { user, key } = await signUpByMail()
  expect(await whoami(user.orgId, key)).toBe(200)
  custody.advance(16 * minuteMs)
  const { user: again, key: later } = await signInByMail(user)
  const added = { userId: again.userId, authenticators: passkeys(createAuthenticator()) }
  const { body } = await submit('create_authenticators', { ...again, key: later }, added, '_V2')
  expect(body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
})

test('sends no confirmation to an unproven address', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const email = `new.${user.email}`
  // A project without confirmations leaves the address unproven.
  const [project] = custody.deps.projects ?? []
  if (!project) throw new TypeError('no project')
  const open = await custodyApp({ ...custody.deps, projects: [{ ...project, confirmations: 'none' }] })
  const claim = { userId: user.userId, userEmail: email }
  const body = JSON.stringify(custody.activity('ACTIVITY_TYPE_UPDATE_USER', user.orgId, claim))
  const { stampHeaderName, stampHeaderValue } = createStamp(body, user.key)
  const headers = { [stampHeaderName]: stampHeaderValue }
  expect((await open.request(custodyPaths.updateUser, { method: 'POST', body, headers })).status).toBe(200)
  const refused = await submit('create_api_keys', user, { userId: user.userId, apiKeys: [newApiKey().parameters] })
  expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('Use your passkey') } })
  // A passkey can request the same address again to prove it.
  const request = custody.activity('ACTIVITY_TYPE_UPDATE_USER', user.orgId, claim)
  const again = await custody.callByPasskey('submit/update_user', request, passkey)
  expect(again.body.activity.confirmation.to).toBe(email)
  await custody.decide(again.body.activity.id, 'accept', 'prove')
  const asked = await submit('create_api_keys', user, { userId: user.userId, apiKeys: [newApiKey().parameters] })
  expect(asked.body.activity.confirmation.to).toBe(email)
})

test('asks for confirmation of a first passkey added by a key that was not mailed', async () => {
  const user = await custody.createUser()
  const added = { userId: user.userId, authenticators: passkeys(createAuthenticator()) }
  const { body } = await submit('create_authenticators', user, added, '_V2')
  expect(body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
})

test('rejects a passkey without user verification as proof, even with step-up off', async () => {
  const lax = await custodyApp({ ...custody.deps, stepUp: 'off' })
  const passkey = createAuthenticator()
  const user = await custody.createUser()
  const added = { userId: user.userId, authenticators: passkeys(passkey) }
  const { body } = await submit('create_authenticators', user, added, '_V2')
  await custody.decide(body.activity.id)
  custody.advance(dayMs)
  const send = async (call: string, parameters: object, version: string, deviation = {}) => {
    const type = `ACTIVITY_TYPE_${call.toUpperCase()}${version}`
    const text = JSON.stringify(custody.activity(type, user.orgId, parameters))
    const headers = { 'x-stamp-webauthn': passkey.stamp(text, deviation) }
    const response = await lax.request(`/public/v1/submit/${call}`, { method: 'POST', body: text, headers })
    const { activity } = (await response.json()) as { activity?: { status: string } }
    return [response.status, activity?.status]
  }
  const addKey = (deviation?: object) =>
    send('create_api_keys', { userId: user.userId, apiKeys: [newApiKey().parameters] }, '_V2', deviation)
  const unverified = { flags: 0x01 }
  expect(await addKey(unverified)).toEqual([200, 'ACTIVITY_STATUS_PENDING'])
  expect(await addKey()).toEqual([200, 'ACTIVITY_STATUS_COMPLETED'])
  expect(await send('update_user', { userId: user.userId, userEmail: '' }, '')).toEqual([
    200,
    'ACTIVITY_STATUS_COMPLETED',
  ])
  expect(await addKey(unverified)).toEqual([403, undefined])
  expect(await addKey()).toEqual([200, 'ACTIVITY_STATUS_COMPLETED'])
})

const strictest = [{ ...createCarefulProject(), organizationId: undefined }]
test.each([
  ['in the stricter of two projects', { project: { confirmations: 'none' as const }, projects: strictest }],
  ['under a parent without a project', { project: { organizationId: randomUUID(), confirmations: 'none' as const } }],
])('requires confirmation by mail %s', async (_, options) => {
  const shared = await startTestCustody(options)
  try {
    const user = await shared.createUser()
    const parameters = { userId: user.userId, apiKeys: [newApiKey().parameters] }
    const request = shared.activity('ACTIVITY_TYPE_CREATE_API_KEYS_V2', user.orgId, parameters)
    const { body } = await shared.call('submit/create_api_keys', request, user.key)
    expect(body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
  } finally {
    await shared.close()
  }
})

async function signUpByMail() {
  const user = await custody.createUser({ expirationSeconds: '60' })
  return signInByMail(user)
}

async function signInByMail(user: TestUser) {
  return { user, key: (await custody.askForMail(user)).key }
}
