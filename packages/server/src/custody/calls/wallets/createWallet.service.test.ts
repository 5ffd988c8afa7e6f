import { randomUUID } from 'node:crypto'
import { startTestCustody, walletParameters } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { maxAccounts, maxWallets } from '../../custodyLimits.ts'

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const submit = (call: string, parameters: object, { orgId, key } = user) =>
  custody.call(`submit/${call}`, custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, orgId, parameters), key)

test('creates wallets and adds accounts', async () => {
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
})

async function fill(table: string, columns: string, orgId: string, count: number) {
  await custody.store.pool.query(
    `insert into ${table} select r.* from generate_series(1, $2) n, lateral (select t.* from ${table} t where org_id = $1 limit 1) base,
      lateral jsonb_populate_record(null::${table}, to_jsonb(base) || ${columns}) r`,
    [orgId, count],
  )
}

test('limits the wallets of an organization, also for concurrent requests', async () => {
  const who = await custody.createUser()
  await fill('wallets', `jsonb_build_object('id', md5(n || clock_timestamp()::text)::uuid)`, who.orgId, maxWallets - 2)
  const replies = await Promise.all(
    ['one', 'two', 'three'].map((walletName) => submit('create_wallet', { walletName, accounts: [] }, who)),
  )
  const statuses = replies.map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 400, 400])
  const refused = replies.find(({ status }) => status === 400)
  expect(refused?.body.message).toBe(`An organization may hold at most ${maxWallets} wallets.`)
  expect((await submit('create_wallet', { walletName: 'other', accounts: [] })).status).toBe(200)
})

test('limits the accounts of an organization across its wallets', async () => {
  const who = await custody.createUser()
  const columns = `jsonb_build_object('id', gen_random_uuid(), 'path', n::text, 'address', n::text)`
  await fill('wallet_accounts', columns, who.orgId, maxAccounts - 2)
  const account = { ...walletParameters.accounts[0], path: "m/44'/60'/0'/0/7" }
  const create = (accounts: object[]) => submit('create_wallet', { walletName: 'W', accounts }, who)
  const second = { ...account, path: "m/44'/60'/0'/0/8" }
  expect(await create([account, second])).toMatchObject({
    status: 400,
    body: { message: `An organization may hold at most ${maxAccounts} accounts.` },
  })
  expect((await create([account])).status).toBe(200)
})
