import { randomUUID } from 'node:crypto'
import { startTestCustody, type TestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { afterAll, beforeAll, expect, test } from 'vitest'

let custody: TestCustody
let user: TestUser
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser()
})
afterAll(() => custody.close())

const submit = (call: string, parameters: object, { orgId, key } = user) =>
  custody.call(`submit/${call}`, custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, orgId, parameters), key)

test('default: create_wallet and create_wallet_accounts', async () => {
  const who = await custody.createUser()
  const { body } = await submit('create_wallet', { walletName: 'Second', accounts: [], mnemonicLength: 24 }, who)
  const { walletId, addresses } = body.activity.result.createWalletResult
  expect(addresses).toEqual([])
  const account = (index: number, name?: string) => ({
    ...walletParameters.accounts[0],
    path: `m/44'/60'/0'/0/${index}`,
    ...(name && { name }),
  })
  const accounts = [account(0), account(1, 'Savings')]
  const added = await submit('create_wallet_accounts', { walletId: walletId.toUpperCase(), accounts }, who)
  const result = added.body.activity.result.createWalletAccountsResult
  expect(result.addresses).toHaveLength(2)
  const query = { organizationId: who.orgId, walletId }
  const listed = (await custody.call('query/list_wallet_accounts', query, who.key)).body.accounts
  expect(listed.map((each: { address: string; name?: string }) => [each.address, each.name])).toEqual([
    [result.addresses[0], undefined],
    [result.addresses[1], 'Savings'],
  ])
  const partly = await submit('create_wallet_accounts', { walletId, accounts: [account(2), account(1)] }, who)
  expect(partly).toMatchObject({ status: 400, body: { code: 3, message: expect.stringContaining('already') } })
  const { db } = custody.store
  const kept = await db.selectFrom('wallet_accounts').select('id').where('org_id', '=', who.orgId).execute()
  expect(kept).toHaveLength(3)
  const wrong: object[] = [
    { walletId, accounts: [] },
    { walletId, accounts: [{ ...account(3), curve: 'CURVE_ED25519' }] },
    { walletId, accounts: [account(3)], persist: false },
  ]
  for (const parameters of wrong)
    expect((await submit('create_wallet_accounts', parameters, who)).status, JSON.stringify(parameters)).toBe(400)
  const unknown = await submit('create_wallet_accounts', { walletId: randomUUID(), accounts: [account(3)] }, who)
  expect(unknown).toMatchObject({ status: 404, body: { code: 5 } })
  expect(await submit('create_wallet_accounts', { walletId, accounts: [account(3)] })).toMatchObject({ status: 404 })
  for (const [call, parameters] of [
    ['create_wallet', { walletName: 'Mine', accounts: [] }],
    ['create_wallet_accounts', { walletId, accounts: [account(4)] }],
  ] as const) {
    const parent = await submit(call, parameters, { ...who, key: custody.rootKey })
    expect(parent, call).toMatchObject({ status: 400, body: { code: 3 } })
  }
})
