import { randomUUID } from 'node:crypto'
import { createAuthenticator, type TestAuthenticator } from '@latchkey/testkit/authenticator'
import type { TestUser } from '@latchkey/testkit/custody'
import { holdRows } from '@latchkey/testkit/holdRows'
import { createTestFrame, startTestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../platform/crypto/createStamp.ts'

/** The tests claim unproven addresses, and check which user has the address and which credentials work. */
const api = await startTestSignerApi()
afterAll(() => api.close())

type Key = TestUser['key']

const newEmail = () => `user-${randomUUID()}@example.com`
const lookup = async (email: string) => (await api.post('lookup', { email })).json.orgId

async function askByMail(call: 'signup' | 'auth', email: string): Promise<{ orgId: string; key: Key }> {
  const frame = await createTestFrame()
  const { status, json } = await api.post(call, { email, targetPublicKey: frame.targetPublicKey })
  expect(status).toBe(200)
  return { orgId: json.orgId, key: await frame.open(api.readLink(email).searchParams.get('bundle') ?? '') }
}

function whoami(orgId: string, key: Key) {
  const body = JSON.stringify({ organizationId: orgId })
  return api.post('whoami', {
    stampedRequest: { body, stamp: createStamp(body, key), url: `https://api.turnkey.com${custodyPaths.whoami}` },
  })
}

function changeEmail({ orgId, userId }: { orgId: string; userId: string }, by: Key | TestAuthenticator, email: string) {
  const { custody } = api
  const request = custody.activity('ACTIVITY_TYPE_UPDATE_USER', orgId, { userId, userEmail: email })
  if ('stamp' in by) return custody.callByPasskey('submit/update_user', request, by)
  return custody.call('submit/update_user', request, by)
}

async function joinWithPasskey() {
  const email = newEmail()
  const { orgId, key } = await askByMail('signup', email)
  const { userId } = (await whoami(orgId, key)).json
  const passkey = createAuthenticator({ origin: testOrigin })
  const authenticators = [{ authenticatorName: 'passkey-1', ...passkey.register() }]
  const addition = api.custody.activity('ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', orgId, { userId, authenticators })
  expect(await api.custody.call('submit/create_authenticators', addition, key)).toMatchObject({ status: 200 })
  return { email, orgId, userId: userId as string, key, passkey }
}

test("does not give a victim's sign-up to an attacker who claims the address", async () => {
  const attacker = await joinWithPasskey()
  const email = newEmail()
  expect((await changeEmail(attacker, attacker.key, email)).status).toBe(200)
  // The attacker's mailed session proves only another address.
  expect((await whoami(attacker.orgId, attacker.key)).status).toBe(200)
  expect(await lookup(email)).toBeNull()

  const victim = await askByMail('signup', email.toUpperCase())
  expect(victim.orgId).not.toBe(attacker.orgId)
  expect((await whoami(victim.orgId, victim.key)).json).toMatchObject({ orgId: victim.orgId, email })
  expect(await lookup(email)).toBe(victim.orgId)
  // The attacker's session remains, but the address is removed from the attacker's account, which cannot claim it
  // again.
  const { status, json } = await whoami(attacker.orgId, attacker.key)
  expect([status, json.orgId, json.email]).toEqual([200, attacker.orgId, undefined])
  expect(await changeEmail(attacker, attacker.passkey, email)).toMatchObject({
    status: 400,
    body: { details: [{ turnkeyErrorCode: 'INVALID_EMAIL' }] },
  })
})

test('proves an address only by a session or code mailed to it, even at once', async () => {
  const attacker = await joinWithPasskey()
  const frame = await createTestFrame()
  const { otpId } = (await api.post('auth', { email: attacker.email, targetPublicKey: frame.targetPublicKey })).json
  const otpCode = api.readCode(attacker.email)
  const email = newEmail()
  const [changed] = await Promise.all([
    changeEmail(attacker, attacker.key, email),
    ...Array.from({ length: 8 }, () => whoami(attacker.orgId, attacker.key)),
  ])
  expect(changed.status).toBe(200)
  const { targetPublicKey } = frame
  const late = api.custody.activity('ACTIVITY_TYPE_OTP_AUTH', attacker.orgId, { otpId, otpCode, targetPublicKey })
  expect((await api.custody.send(custodyPaths.otpAuth, JSON.stringify(late))).body).toMatchObject({
    details: [{ turnkeyErrorCode: 'OTP_EXPIRED' }],
  })
  await whoami(attacker.orgId, attacker.key)
  expect(await lookup(email)).toBeNull()
})

test('gives an address to its owner despite an earlier claim', async () => {
  const [squatter, owner] = [await joinWithPasskey(), await joinWithPasskey()]
  const email = newEmail()
  expect((await changeEmail(squatter, squatter.key, email)).status).toBe(200)
  expect((await changeEmail(owner, owner.key, email)).status).toBe(200)
  const { orgId, key } = await askByMail('auth', email)
  expect(orgId).toBe(owner.orgId)
  await whoami(orgId, key)
  expect(await lookup(email)).toBe(owner.orgId)
  expect((await changeEmail(squatter, squatter.passkey, email)).status).toBe(400)
})

test('finds a new address after its mail was used, and the old one no more', async () => {
  const user = await joinWithPasskey()
  const email = newEmail()
  expect((await changeEmail(user, user.key, email)).status).toBe(200)
  expect([await lookup(user.email), await lookup(email)]).toEqual([null, null])
  const { orgId, key } = await askByMail('auth', email)
  expect(orgId).toBe(user.orgId)
  expect((await whoami(orgId, key)).json).toMatchObject({ orgId, email })
  expect(await lookup(email)).toBe(user.orgId)
})

test('resumes a sign-up that waits for its mail, even several at once', async () => {
  const email = newEmail()
  const bodies = await Promise.all(
    [1, 2].map(async () => ({ email, targetPublicKey: (await createTestFrame()).targetPublicKey })),
  )
  const responses = await Promise.all(bodies.map((body) => api.post('signup', body)))
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  const again = await askByMail('signup', email)
  expect(new Set([...responses.map(({ json }) => json.orgId), again.orgId]).size).toBe(1)
  const other = await joinWithPasskey()
  expect((await changeEmail(other, other.key, email)).status).toBe(400)
})

test('gives a free address to one of two users who change to it at once', async () => {
  const users = [await joinWithPasskey(), await joinWithPasskey()]
  const email = newEmail()
  const { pool } = api.custody.store
  // Both requests find the address free before either writes it.
  const held = await holdRows(pool, 'select from users where org_id = any($1) for update', [
    users.map(({ orgId }) => orgId),
  ])
  const sent = users.map((user) => changeEmail(user, user.key, email))
  await held.untilWaiting(2)
  await held.release()
  const responses = await Promise.all(sent)
  const { rows } = await pool.query<{ org_id: string }>('select org_id from users where email = $1', [email])
  expect(rows).toHaveLength(1)
  const holder = users.findIndex(({ orgId }) => orgId === rows[0]?.org_id)
  expect(responses[holder]?.status).toBe(200)
  // The other request is refused, or succeeds first and then loses the address.
  expect([200, 400]).toContain(responses[1 - holder]?.status)
})

test('limits mails to a claimed address and sends it no notices', async () => {
  const email = newEmail()
  const { targetPublicKey } = await createTestFrame()
  const statuses: number[] = []
  for (let users = 0; users < 2; users++) {
    const user = await joinWithPasskey()
    await changeEmail(user, user.key, email)
    expect((await changeEmail(user, user.passkey, newEmail())).status).toBe(200)
    await changeEmail(user, user.passkey, email)
    expect(api.inbox.messages({ to: email }).filter(({ links }) => links.length === 0)).toEqual([])
    for (let mails = 0; mails < 4; mails++) statuses.push((await api.post('auth', { email, targetPublicKey })).status)
  }
  expect(statuses).toEqual([...Array(6).fill(200), 429, 429])
})

test('ignores an address given with a new passkey until its stamp names it', async () => {
  const email = newEmail()
  const owner = { email, ...(await askByMail('signup', email)) }
  await whoami(owner.orgId, owner.key)
  const free = newEmail()
  const before = api.inbox.messages({ to: owner.email }).length
  const join = (passkey: TestAuthenticator, email?: string) =>
    api.post('signup', { passkey: passkey.register(), email })
  const passkey = createAuthenticator({ origin: testOrigin })
  const [theirs, mine, none] = [
    await join(createAuthenticator({ origin: testOrigin }), owner.email),
    await join(passkey, free),
    await join(createAuthenticator({ origin: testOrigin })),
  ]
  expect([theirs.status, mine.status, none.status]).toEqual([200, 200, 200])
  expect(mine.json.notice).toContain('update-email-auth')
  expect(theirs.json.notice).toBe(mine.json.notice)
  expect(none.json).not.toHaveProperty('notice')
  expect(await lookup(owner.email)).toBe(owner.orgId)
  expect(await lookup(free)).toBeNull()
  expect(api.inbox.messages({ to: free })).toEqual([])
  expect(api.inbox.messages({ to: owner.email })).toHaveLength(before)
  const rowsQuery = api.custody.store.db.selectFrom('users').select('email').where('id', '=', mine.json.userId)
  const rows = await rowsQuery.execute()
  expect(rows).toEqual([{ email: null }])
  // A signer API can send any address but cannot make a passkey's stamp.
  const stranger = createAuthenticator({ origin: testOrigin })
  expect((await changeEmail(mine.json, stranger, free)).status).toBe(401)
  expect((await changeEmail(mine.json, api.custody.rootKey, free)).status).toBeGreaterThanOrEqual(400)
})
