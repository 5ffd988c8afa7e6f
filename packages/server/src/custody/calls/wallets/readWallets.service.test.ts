import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let custody: TestCustody
let user: TestUser
const passkey = createAuthenticator()
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser({ passkeys: [passkey.register()] })
})
afterAll(() => custody.close())

describe('list_wallet_accounts', () => {
  const list = (parameters: object = {}, { orgId, key } = user) =>
    custody.call('query/list_wallet_accounts', { organizationId: orgId, ...parameters }, key)

  test('default', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    const time = { seconds: expect.stringMatching(/^\d{10}$/), nanos: expect.stringMatching(/^\d+$/) }
    expect(body).toEqual({
      accounts: [
        {
          walletAccountId: id,
          organizationId: user.orgId,
          walletId: id,
          ...walletParameters.accounts[0],
          address: user.address,
          createdAt: time,
          updatedAt: time,
          publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
        },
      ],
    })
  })

  test('param: walletId', async () => {
    const { walletId } = (await list()).body.accounts[0]
    expect((await list({ walletId })).body).toEqual((await list()).body)
    expect((await list({ walletId: randomUUID() })).body).toEqual({ accounts: [] })
    const other = await custody.createUser()
    const theirs = (await list({}, other)).body.accounts[0].walletId
    expect((await list({ walletId: theirs })).body).toEqual({ accounts: [] })
  })
})
