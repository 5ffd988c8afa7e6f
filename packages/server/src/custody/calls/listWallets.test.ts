import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { afterAll, beforeAll, expect, test } from 'vitest'

let custody: TestCustody
let user: TestUser
const passkey = createAuthenticator()
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser({ passkeys: [passkey.register()] })
})
afterAll(() => custody.close())

const list = (organizationId = user.orgId, key = user.key) =>
  custody.call('query/list_wallets', { organizationId }, key)

test('default', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  const time = { seconds: expect.stringMatching(/^\d{10}$/), nanos: expect.stringMatching(/^\d+$/) }
  expect(body).toEqual({
    wallets: [
      {
        walletId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        walletName: walletParameters.walletName,
        createdAt: time,
        updatedAt: time,
        exported: false,
        imported: false,
      },
    ],
  })
})

test('behavior: by passkey, and by the parent', async () => {
  const { body } = await list()
  expect((await custody.callByPasskey('query/list_wallets', { organizationId: user.orgId }, passkey)).body).toEqual(
    body,
  )
  expect((await list(user.orgId, custody.rootKey)).body).toEqual(body)
})

test('error: another user, a member too much, no organization', async () => {
  const other = await custody.createUser()
  expect(await list(user.orgId, other.key)).toMatchObject({ status: 401, body: { code: 16 } })
  const more = { organizationId: user.orgId, more: 1 }
  expect((await custody.call('query/list_wallets', more, user.key)).status).toBe(400)
  for (const body of ['{}', '[]', 'null', '{"organizationId":5}'])
    expect((await custody.call('query/list_wallets', body, user.key)).status, body).toBe(400)
})
