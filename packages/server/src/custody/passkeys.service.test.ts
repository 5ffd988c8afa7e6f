import { createAuthenticator, type Deviation } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { createOwner, question } from '@latchkey/testkit/custodyExamples'
import { hashMessage, recoverAddress, toPrefixedMessage } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { custodyApp } from './app.ts'
import { revokeCredentials } from './credentials/revokeCredentials.ts'
import { readMacKey } from './macKey.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

async function passkeyUser(options: createAuthenticator.Options = {}) {
  const passkey = createAuthenticator(options)
  return { ...(await custody.createUser({ passkeys: [passkey.register()] })), passkey }
}
type PasskeyUser = Awaited<ReturnType<typeof passkeyUser>>

const whoami = (organizationId: string, { passkey }: Pick<PasskeyUser, 'passkey'>, deviation?: Deviation) =>
  custody.callByPasskey('query/whoami', { organizationId }, passkey, deviation)

const refusal = (turnkeyErrorCode: string) => ({ status: 401, body: { code: 16, details: [{ turnkeyErrorCode }] } })

test.each(['ES256', 'RS256'] as const)('signs in and signs with %s', async (algorithm) => {
  const user = await passkeyUser({ algorithm })
  expect(await whoami(user.orgId, user)).toMatchObject({ status: 200, body: { userId: user.userId } })
  const { status, body } = await custody.callByPasskey('submit/sign_raw_payload', custody.signing(user), user.passkey)
  expect(status).toBe(200)
  const { r, s, v } = body.activity.result.signRawPayloadResult
  const signature = `0x${r}${s}${v === '00' ? '1b' : '1c'}` as const
  expect(await recoverAddress({ hash: hashMessage('hello'), signature })).toBe(user.address)
})

test('accepts passkeys without a counter', async () => {
  const synced = await passkeyUser({ counts: false })
  for (let use = 0; use < 3; use++) expect((await whoami(synced.orgId, synced)).status).toBe(200)
  expect((await whoami(synced.orgId, synced, { signCount: 9 })).status).toBe(200)
  expect((await whoami(synced.orgId, synced)).status).toBe(200)
})

test('refuses a counter that does not grow', async () => {
  const user = await passkeyUser()
  expect((await whoami(user.orgId, user, { signCount: 10 })).status).toBe(200)
  for (const signCount of [10, 9, 1]) {
    const answer = await whoami(user.orgId, user, { signCount })
    expect(answer).toMatchObject(refusal('SIGNATURE_INVALID'))
    expect(answer.body.message).toContain('counter did not grow')
  }
  const sign = await custody.callByPasskey('submit/sign_raw_payload', custody.signing(user), user.passkey, {
    signCount: 10,
  })
  expect(sign).toMatchObject(refusal('SIGNATURE_INVALID'))
  expect((await whoami(user.orgId, user, { signCount: 11 })).status).toBe(200)
})

test('accepts one of several concurrent copies of an assertion', async () => {
  const user = await passkeyUser()
  const answers = await Promise.all([1, 2, 3, 4].map(() => whoami(user.orgId, user, { signCount: 5 })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
})

test.each(['whoami', 'list_wallets', 'get_activity'])('refuses a reused assertion for %s', async (call) => {
  const owner = await createOwner(custody)
  const body = JSON.stringify(await question(custody, owner, call))
  const headers = { 'x-stamp-webauthn': owner.passkey.stamp(body, { signCount: 100 }) }
  expect((await custody.send(`/public/v1/query/${call}`, body, headers)).status).toBe(200)
  const again = await custody.send(`/public/v1/query/${call}`, body, headers)
  expect(again).toMatchObject(refusal('SIGNATURE_INVALID'))
  expect(again.body.message).toContain('counter did not grow')
})

test('repeats the stored answer of an activity and allows retrying a failed one', async () => {
  const user = await passkeyUser()
  const text = JSON.stringify(custody.signing(user))
  const headers = { 'x-stamp-webauthn': user.passkey.stamp(text) }
  const send = () => custody.send('/public/v1/submit/sign_raw_payload', text, headers)
  const first = await send()
  expect(first.status).toBe(200)
  expect(await send()).toEqual(first)

  const wrong = JSON.stringify({ ...custody.signing(user), type: 'ACTIVITY_TYPE_EMAIL_AUTH' })
  expect(await custody.callByPasskey('submit/sign_raw_payload', wrong, user.passkey)).toMatchObject({ status: 400 })
  expect((await custody.callByPasskey('submit/sign_raw_payload', custody.signing(user), user.passkey)).status).toBe(200)
})

test.each<[string, Deviation, string]>([
  ['wrong origin', { origin: 'http://localhost:4101' }, 'origin that is not registered'],
  ['wrong relying party', { rpId: 'example.com' }, 'another relying party id'],
  ['wrong challenge', { challenge: 'a'.repeat(64) }, 'another challenge'],
  ['wrong type', { type: 'webauthn.create' }, 'not of type'],
  ['missing user presence', { flags: 0x04 }, 'flag UP'],
])('refuses an assertion with a %s', async (_name, deviation, message) => {
  const user = await passkeyUser()
  for (const organizationId of [user.orgId, custody.rootOrganizationId]) {
    const answer = await whoami(organizationId, user, deviation)
    expect(answer).toMatchObject(refusal('SIGNATURE_INVALID'))
    expect(answer.body.message).toContain(message)
  }
  const answer = await custody.callByPasskey('submit/sign_raw_payload', custody.signing(user), user.passkey, deviation)
  expect(answer).toMatchObject(refusal('SIGNATURE_INVALID'))
})

test('refuses a body changed after the passkey signed it', async () => {
  const user = await passkeyUser()
  const text = JSON.stringify(custody.signing(user))
  const changed = text.replace(toPrefixedMessage('hello'), toPrefixedMessage('other'))
  const answer = await custody.send('/public/v1/submit/sign_raw_payload', changed, {
    'x-stamp-webauthn': user.passkey.stamp(text),
  })
  expect(answer).toMatchObject(refusal('SIGNATURE_INVALID'))
})

test('refuses a revoked passkey', async () => {
  const { db } = custody.store
  const victim = await passkeyUser()
  const held = await db.selectFrom('credentials').select('id').where('user_id', '=', victim.userId).execute()
  const context = { macKey: await readMacKey(db, custody.deps.keyEncryption), now: Date.now }
  await revokeCredentials(context, db, { orgId: victim.orgId, userId: victim.userId, ids: held.map(({ id }) => id) })
  const answer = await whoami(victim.orgId, victim)
  expect(answer.body.message).toBe('This passkey was revoked. Sign in again.')
})

test('refuses an origin that was removed from the list', async () => {
  const user = await passkeyUser()
  const projects = custody.deps.projects?.map((project) => ({ ...project, allowedOrigins: ['https://other.example'] }))
  const copy = await custodyApp({ ...custody.deps, projects })
  const body = JSON.stringify({ organizationId: user.orgId })
  const headers = { 'x-stamp-webauthn': user.passkey.stamp(body) }
  const response = await copy.request('/public/v1/query/whoami', { method: 'POST', body, headers })
  expect({ status: response.status, body: await response.json() }).toMatchObject(refusal('SIGNATURE_INVALID'))
  expect((await whoami(user.orgId, user)).status).toBe(200)
})
