import { domainToASCII } from 'node:url'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls } from '@latchkey/testkit/custodyCalls'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'

// A new address takes effect once its owner and the account's user have both confirmed it by mail.

// As in production, only the user's own actions open an account.
const custody = await startTestCustody({
  project: { confirmations: 'mail', parentCredentials: 'refused', signerCodes: 'refused' },
})
afterAll(() => custody.close())

const { submit, whoami } = custodyCalls(() => custody)
let count = 0
const newEmail = () => `owner-${++count}-${Date.now()}@example.com`
const change = (user: TestUser, userEmail: string) => submit('update_user', user, { userId: user.userId, userEmail })
const read = async ({ orgId, userId, key }: TestUser) =>
  (await custody.call('query/get_user', { organizationId: orgId, userId }, key)).body.user
const prove = (id: string, decision: 'accept' | 'refuse' = 'accept') => custody.decide(id, decision, 'prove')

async function signUpByPasskey() {
  const passkey = createAuthenticator()
  const authenticators = [{ authenticatorName: 'Phone \u202Eof Ann', ...passkey.register() }]
  const { orgId, userIds } = await custody.signUp([{ userName: 'Ann', authenticators }])
  const userId = userIds[0] ?? ''
  const name = (userEmail: string) =>
    custody.callByPasskey(
      'submit/update_user',
      custody.activity('ACTIVITY_TYPE_UPDATE_USER', orgId, { userId, userEmail }),
      passkey,
    )
  return { orgId, userId, passkey, name }
}

async function refusalOfMail(orgId: string, email: string): Promise<string | undefined> {
  const targetPublicKey = (await createTestFrame()).targetPublicKey
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', orgId, { email, targetPublicKey })
  const { status, body } = await custody.call('submit/email_auth', request, custody.rootKey)
  return status === 200 ? undefined : body.details[0].turnkeyErrorCode
}

/** Uses a session key sent by e-mail, which proves the address of a sign-up. */
async function signIn(orgId: string, email: string) {
  const { key } = await custody.askForMail({ orgId, email })
  if ((await whoami(orgId, key)) !== 200) throw new TypeError('not signed in')
  return key
}

test('adds an address to a passkey account, which then signs in by mail', async () => {
  const { orgId, userId, name, passkey } = await signUpByPasskey()
  const email = newEmail()
  const { body } = await name(email)
  expect(body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_PENDING',
    confirmation: { by: 'mail', to: email, action: 'change-email' },
  })
  // The e-mail shows the passkey's name without characters that reorder text.
  const { to, content } = await custody.readQueued(body.activity.id, 'prove')
  expect(to).toBe(email)
  expect(content).toMatchObject({
    kind: 'prove',
    email,
    openedBy: expect.stringMatching(/^a passkey added on \d+ \w+ \d{4} \(“Phone of Ann”\)$/),
  })
  expect(await refusalOfMail(orgId, email)).toBe('INVALID_EMAIL')
  expect((await prove(body.activity.id)).body.confirmation).toMatchObject({ kind: 'prove', state: 'confirmed' })
  const key = await signIn(orgId, email)
  expect(await whoami(orgId, key)).toBe(200)
  const fresh = createAuthenticator()
  const authenticators = [{ authenticatorName: 'New phone', ...fresh.register() }]
  const added = await submit('create_authenticators', { orgId, userId, key }, { userId, authenticators }, '_V2')
  expect(added.body.activity.confirmation.to).toBe(email)
  expect((await custody.decide(added.body.activity.id)).body.confirmation.state).toBe('confirmed')
  const ask = (by: typeof passkey) => custody.callByPasskey('query/whoami', { organizationId: orgId }, by)
  expect((await ask(fresh)).status).toBe(200)
})

test('changes an address after both addresses agree, and notifies the old one', async () => {
  const user = await custody.createUser({ expirationSeconds: '3600' })
  const email = newEmail()
  const { body } = await change(user, email)
  expect(body.activity.confirmation.to).toBe(user.email)
  expect((await custody.decide(body.activity.id)).body.confirmation).toMatchObject({
    state: 'passed-on',
    detail: email,
  })
  expect((await custody.decide(body.activity.id)).status).toBe(400)
  expect((await read(user)).userEmail).toBe(user.email)
  expect((await prove(body.activity.id)).body.confirmation).toMatchObject({ kind: 'prove', state: 'confirmed', email })
  expect((await read(user)).userEmail).toBe(email)
  expect((await custody.readQueued(body.activity.id, 'email-changed')).to).toBe(user.email)
})

test('does not treat a change of address as a sign-up', async () => {
  const user = await custody.createUser({ expirationSeconds: '60' })
  const { orgId, userId } = user
  custody.advance(61_000)
  await signIn(orgId, user.email)
  custody.advance(16 * 60_000)
  const email = newEmail()
  const { body } = await change({ ...user, key: await signIn(orgId, user.email) }, email)
  await custody.decide(body.activity.id)
  await prove(body.activity.id)
  const key = await signIn(orgId, email)
  const authenticators = [{ authenticatorName: 'Script', ...createAuthenticator().register() }]
  const added = await submit('create_authenticators', { orgId, userId, key }, { userId, authenticators }, '_V2')
  expect(added.body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_PENDING', confirmation: { to: email } })
})

test('ends a change when the owner of the address refuses', async () => {
  const { orgId, name, passkey } = await signUpByPasskey()
  const email = newEmail()
  const { body } = await name(email)
  expect((await prove(body.activity.id, 'refuse')).body.confirmation.state).toBe('refused')
  const { content } = await custody.readQueued(body.activity.id, 'prove')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  const ended = await custody.send(
    '/public/v1/confirmation/decide',
    JSON.stringify({ secret, decision: 'end-sessions' }),
  )
  expect(ended.status).toBe(400)
  expect((await prove(body.activity.id)).status).toBe(400)
  expect(await refusalOfMail(orgId, email)).toBe('INVALID_EMAIL')
  expect((await custody.callByPasskey('query/whoami', { organizationId: orgId }, passkey)).status).toBe(200)
})

test('does not take an address that another account proved first', async () => {
  const { name } = await signUpByPasskey()
  const email = newEmail()
  const { body } = await name(email)
  const owner = await signUpByPasskey()
  const theirs = await owner.name(email)
  await prove(theirs.body.activity.id)
  const late = await prove(body.activity.id)
  expect(late.body.confirmation).toMatchObject({ state: 'failed', failure: expect.stringContaining('already exists') })
  expect(await refusalOfMail(owner.orgId, email)).toBeUndefined()
  // An address that already has an account receives no mail.
  expect((await name(email)).body.details[0].turnkeyErrorCode).toBe('INVALID_EMAIL')
})

test('limits mails to a mailbox across accounts and aliases', async () => {
  const email = newEmail()
  const replies = []
  for (let index = 0; index < 7; index++) {
    const { name } = await signUpByPasskey()
    const spelling = [email, email.toUpperCase(), email.replace('@', `+${index}@`)][index % 3] ?? email
    replies.push((await name(spelling)).status)
  }
  expect(replies).toEqual([200, 200, 200, 200, 200, 200, 429])
})

test('answers the same for taken and free addresses when accounts are hidden', async () => {
  const hiding = await startTestCustody({ project: { confirmations: 'mail', hidesAccounts: true } })
  try {
    const owner = await hiding.createUser()
    const { key } = await hiding.askForMail(owner)
    await hiding.call('query/whoami', { organizationId: owner.orgId }, key)

    const passkey = createAuthenticator()
    const attacker = await hiding.createUser({ passkeys: [passkey.register()] })
    const name = (userEmail: string) =>
      hiding.callByPasskey(
        'submit/update_user_email',
        hiding.activity('ACTIVITY_TYPE_UPDATE_USER_EMAIL', attacker.orgId, { userId: attacker.userId, userEmail }),
        passkey,
      )
    const [taken, free] = [await name(owner.email), await name(newEmail())]
    const shape = ({ status, body }: typeof taken) => [status, body.activity.status, Object.keys(body.activity).sort()]
    expect(shape(taken)).toEqual(shape(free))
    for (const kind of ['confirm', 'prove'] as const)
      await hiding.decide(taken.body.activity.id, 'accept', kind).catch(() => undefined)
    const query = { organizationId: attacker.orgId, userId: attacker.userId }
    expect((await hiding.call('query/get_user', query, attacker.key)).body.user.userEmail).not.toBe(owner.email)
  } finally {
    await hiding.close()
  }
})

test('signs in by both spellings of a non-ASCII domain', async () => {
  const { orgId, name } = await signUpByPasskey()
  const label = `bücher-${Date.now()}`
  const { body } = await name(`ann@${label}.example`)
  await prove(body.activity.id)
  // The signer API looks up only the ASCII form.
  const ascii = domainToASCII(`${label}.example`)
  for (const filterValue of [`ann@${ascii}`, `ann@${label}.example`]) {
    const query = { organizationId: custody.rootOrganizationId, filterType: 'EMAIL', filterValue }
    expect((await custody.call('query/list_suborgs', query, custody.rootKey)).body.organizationIds).toEqual([orgId])
  }
  expect(await whoami(orgId, await signIn(orgId, `ann@${ascii}`))).toBe(200)
})
