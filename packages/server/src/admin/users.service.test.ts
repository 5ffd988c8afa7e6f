import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { afterAll, expect, test } from 'vitest'

const smartAccount = `0x${'5a'.repeat(20)}`
const custody = await startTestCustody()
const admin = await startTestAdmin({ databaseUrl: custody.store.databaseUrl })
const ada = await custody.createUser({ email: 'Ada@example.com', passkeys: [createAuthenticator().register()] })
const bob = await custody.createUser({ email: 'bob@example.com' })
const { pool } = admin.owner
await pool.query(
  `insert into smart_accounts (id, project_id, signer, address, factory_type, owners, salt)
  values ($1, 'shop', $2, $3, 'LightAccountV2.0.0', array[$2], 0)`,
  [randomUUID(), ada.address.toLowerCase(), smartAccount],
)
for (const [index, chain] of [10, 10, 1].entries())
  await pool.query(
    `insert into operations (user_op_hash, project_id, chain_id, entry_point, sender, nonce, state)
    values ($1, 'shop', $2, '0xe', $3, $4, 'signed')`,
    [`0x${String(index).repeat(64)}`, chain, smartAccount, index],
  )
afterAll(async () => {
  await admin.close()
  await custody.close()
})

const find = (query: string, as = 'operator') => admin.call('get', `/users?${query}`, { as })
const ids = async (query: string) =>
  (await find(query)).body.items.map(({ organizationId }: { organizationId: string }) => organizationId)

test('finds a user by email, key address, smart account or organization', async () => {
  expect(await ids('email=ADA@example.COM')).toEqual([ada.orgId])
  expect(await ids(`address=${ada.address}`)).toEqual([ada.orgId])
  expect(await ids(`address=${ada.address.toLowerCase()}`)).toEqual([ada.orgId])
  expect(await ids(`address=${smartAccount}`)).toEqual([ada.orgId])
  expect(await ids(`organizationId=${bob.orgId}`)).toEqual([bob.orgId])
  // Matches are exact: pattern characters have no effect.
  for (const email of ['ada', '%@example.com', 'ada@example.co', `' or true --`, 'ad_@example.com'])
    expect([email, await ids(`email=${encodeURIComponent(email)}`)]).toEqual([email, []])
  expect(await ids(`address=0x${'00'.repeat(20)}`)).toEqual([])
})

test('shows a user with credentials, sessions, wallets and accounts, without keys', async () => {
  const { body } = await admin.call('get', `/users/${ada.orgId}`, { as: 'operator' })
  expect(body).toMatchObject({
    organizationId: ada.orgId,
    parentOrganizationId: custody.rootOrganizationId,
    deletion: null,
    users: [{ id: ada.userId, email: expect.stringMatching(/^ada@example\.com$/i) }],
    credentials: [{ kind: 'passkey', name: 'passkey-1', userId: ada.userId }],
    sessions: [{ kind: 'api-key', name: 'test', endsAt: expect.stringMatching(/Z$/) }],
    wallets: [{ address: ada.address, imported: false, exportedAt: null }],
    privateKeys: [],
    accounts: [
      {
        address: smartAccount,
        owner: ada.address.toLowerCase(),
        chains: [
          { chainId: 1, operations: 1 },
          { chainId: 10, operations: 2 },
        ],
      },
    ],
  })
  const { rows } = await admin.owner.pool.query(
    `select public_key, credential_id from credentials where org_id = $1
    union all select public_key, encode(sealed_key, 'hex') from wallet_accounts where org_id = $1`,
    [ada.orgId],
  )
  const text = JSON.stringify(body)
  expect(rows).toHaveLength(3)
  for (const value of rows.flatMap((row) => Object.values(row))) if (value) expect(text).not.toContain(value)
})

test('shows identity providers and second factors, without subjects and secrets', async () => {
  const { pool } = admin.owner
  await pool.query(
    `insert into oauth_providers (id, user_id, org_id, parent_org_id, name, issuer, audience, subject, mac)
    values ($1, $2, $3, $4, 'google', 'https://issuer.example', 'audience', 'the-subject', '')`,
    [randomUUID(), ada.userId, ada.orgId, custody.rootOrganizationId],
  )
  await pool.query(
    `insert into multi_factors (id, user_id, org_id, sealed_key, wrapped_key, key_version, recovery_codes, activated_at, mac)
    values ($1, $2, $3, 'sealed', 'wrapped', 1, array['first-code', 'second-code'], now(), '')`,
    [randomUUID(), ada.userId, ada.orgId],
  )
  const { body } = await admin.call('get', `/users/${ada.orgId}`, { as: 'viewer' })
  expect(body).toMatchObject({
    providers: [{ name: 'google', issuer: 'https://issuer.example' }],
    factors: [{ activatedAt: expect.stringMatching(/Z$/), recoveryCodesLeft: 2 }],
  })
  expect(JSON.stringify(body)).not.toMatch(/the-subject|sealed|wrapped|first-code/)
})

test('hides email addresses from viewers and returns hostile names unchanged', async () => {
  const hostile = '</script><svg onload=alert(1)>\u202e'
  const { pool } = admin.owner
  await pool.query('update users set name = $1 where id = $2', ['ada@example.com', ada.userId])
  await pool.query(`update credentials set name = $1 where org_id = $2 and kind = 'passkey'`, [hostile, ada.orgId])
  for (const path of [`/users/${ada.orgId}`, '/users?email=ada@example.com']) {
    const { body } = await admin.call('get', path, { as: 'viewer' })
    expect(JSON.stringify(body)).not.toMatch(/ada@/i)
    expect(JSON.stringify(body)).toMatch(/a\*\*\*@example\.com/i)
  }
  const { body } = await admin.call('get', `/users/${ada.orgId}`, { as: 'viewer' })
  expect(body.credentials[0].name).toBe(hostile)
})
