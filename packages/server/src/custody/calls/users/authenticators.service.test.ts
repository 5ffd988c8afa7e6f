import { createAuthenticator, type Registration } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const path = 'submit/create_authenticators'
function request(passkeys: readonly Registration[], { orgId, userId }: Pick<TestUser, 'orgId' | 'userId'> = user) {
  const authenticators = passkeys.map((passkey) => ({ authenticatorName: `passkey-${Date.now()}`, ...passkey }))
  return custody.activity('ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', orgId, { userId, authenticators })
}
const whoami = (passkey: ReturnType<typeof createAuthenticator>, organizationId = user.orgId) =>
  custody.callByPasskey('query/whoami', { organizationId }, passkey)

test('adds two passkeys that sign in', async () => {
  const [first, second] = [createAuthenticator(), createAuthenticator({ algorithm: 'RS256' })]
  const body = request([first.register(), second.register()])
  const answer = await custody.call(path, body, user.key)
  expect(answer).toMatchObject({ status: 200, body: { activity: { status: 'ACTIVITY_STATUS_COMPLETED' } } })
  expect(answer.body.activity.intent).toEqual({ createAuthenticatorsIntentV2: body.parameters })
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(answer.body.activity.result).toEqual({ createAuthenticatorsResult: { authenticatorIds: [id, id] } })
  for (const passkey of [first, second])
    expect(await whoami(passkey, custody.rootOrganizationId)).toMatchObject({
      status: 200,
      body: { organizationId: user.orgId, userId: user.userId },
    })
  const rows = await custody.store.db
    .selectFrom('credentials')
    .select(['name', 'rp_id', 'transports', 'counter'])
    .where('credential_id', '=', first.credentialId)
    .execute()
  expect(rows).toEqual([
    {
      name: expect.stringMatching(/^passkey-\d+$/),
      rp_id: 'localhost',
      transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL', 'AUTHENTICATOR_TRANSPORT_HYBRID'],
      counter: '2',
    },
  ])
})

test('refuses a used credential id and stores nothing of the request', async () => {
  const [taken, fresh] = [createAuthenticator(), createAuthenticator()]
  const other = await custody.createUser({ passkeys: [taken.register()] })
  const conflict = {
    status: 400,
    body: { code: 3, message: expect.any(String), details: [{ turnkeyErrorCode: 'CREDENTIAL_CONFLICT' }] },
  }
  expect(await custody.call(path, request([fresh.register(), taken.register()]), user.key)).toMatchObject(conflict)
  expect(await custody.call(path, request([fresh.register(), fresh.register()]), user.key)).toMatchObject(conflict)
  expect((await whoami(fresh)).status).toBe(401)
  expect(await whoami(taken, custody.rootOrganizationId)).toMatchObject({ body: { organizationId: other.orgId } })
})

test('allows ten passkeys per user', async () => {
  const many = await custody.createUser()
  const passkeys = Array.from({ length: 6 }, () => createAuthenticator())
  const add = (list: typeof passkeys) =>
    custody.call(
      path,
      request(
        list.map((passkey) => passkey.register()),
        many,
      ),
      many.key,
    )
  expect((await add(passkeys)).status).toBe(200)
  const next = Array.from({ length: 5 }, () => createAuthenticator())
  const answer = await add(next)
  expect(answer).toMatchObject({ status: 400, body: { message: 'A user can hold 10 passkeys, and this one does.' } })
  expect((await add(next.slice(1))).status).toBe(200)
})
