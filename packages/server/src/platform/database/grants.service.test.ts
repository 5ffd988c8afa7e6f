import { startTestDatabase } from '@latchkey/testkit/database'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { afterAll, expect, test } from 'vitest'
import { applyGrants, type DatabaseRole, databaseRoles, grantsSql } from './grants.ts'
import { migrate } from './migrate.ts'
import { openStore, type Store } from './openStore.ts'

const users = new Map<DatabaseRole, Store>()
const database = await startTestDatabase({ migrated: true })
const owner = await openStore({ databaseUrl: database.url })
for (const role of Object.keys(databaseRoles) as DatabaseRole[])
  users.set(role, await openStore({ databaseUrl: asRole(database.url, role), maxConnections: 1 }))
afterAll(async () => {
  for (const store of [...users.values(), owner]) await store?.close()
  await database.close()
})

/** Returns 'ok' or the SQLSTATE of the refusal; 42501 is insufficient privilege. */
async function attempt(role: DatabaseRole, statement: string): Promise<string> {
  try {
    await users.get(role)?.pool.query(`begin; ${statement}; rollback`)
    return 'ok'
  } catch (error) {
    await users.get(role)?.pool.query('rollback')
    return (error as { code: string }).code
  }
}
const refused = '42501'

test('refuses each table to the other roles', async () => {
  const { rows } = await owner.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  )
  const readers = new Map<string, string[]>()
  for (const { name } of rows) {
    const may: string[] = []
    for (const role of users.keys()) if ((await attempt(role, `select from "${name}"`)) === 'ok') may.push(role)
    readers.set(name, may)
  }
  // A `select` without columns requires the right to read at least one column.
  expect(Object.fromEntries(readers)).toEqual({
    organizations: ['custody', 'signer-api', 'console'],
    oauth_providers: ['custody'],
    multi_factors: ['custody'],
    signing_spend: ['custody'],
    users: ['custody', 'signer-api', 'console', 'admin'],
    credentials: ['custody'],
    wallets: ['custody'],
    devnet_clock: ['custody', 'signer-api', 'mail', 'gateway', 'webhooks', 'console', 'admin'],
    wallet_accounts: ['custody'],
    private_keys: ['custody'],
    import_targets: ['custody'],
    key_material: ['custody'],
    activities: ['custody', 'signer-api', 'mail', 'console'],
    activity_votes: ['custody'],
    confirmations: ['custody'],
    activity_log: ['custody'],
    activity_log_heads: ['custody'],
    mail_outbox: ['custody', 'signer-api', 'mail', 'console', 'admin'],
    mail_codes: ['custody', 'mail'],
    mail_cancellations: ['custody', 'signer-api', 'mail'],
    rate_limits: ['signer-api', 'mail'],
    query_stamps: ['custody'],
    custody_limits: ['custody'],
    gateway_limits: ['gateway'],
    api_keys: ['signer-api', 'gateway', 'console', 'admin'],
    projects: ['custody', 'signer-api', 'gateway', 'console', 'admin'],
    sponsorships: ['gateway', 'console', 'admin'],
    gas_policies: ['gateway', 'console', 'admin'],
    reservations: ['gateway', 'console', 'admin'],
    policy_spend: ['gateway', 'console', 'admin'],
    operations: ['gateway', 'webhooks', 'console', 'admin'],
    operation_events: ['gateway', 'webhooks', 'console', 'admin'],
    chain_cursors: ['gateway', 'console', 'admin'],
    refusals: ['gateway', 'admin'],
    chain_states: ['gateway', 'admin'],
    server_copies: [...users.keys()],
    smart_accounts: ['gateway', 'admin'],
    wallet_sessions: ['gateway'],
    webhook_outbox: ['webhooks', 'admin'],
    webhook_cursors: ['webhooks'],
    operators: ['admin'],
    operator_log: ['admin'],
    operator_sessions: ['admin'],
    operator_requests: ['admin'],
    // Every role may insert rows.
    security_events: ['mail', 'admin'],
    admin_limits: ['admin'],
    kysely_migration: [...users.keys()],
    kysely_migration_lock: [],
  })
})

test('refuses columns and changes that a role does not need', async () => {
  const attacks: [DatabaseRole, string][] = [
    ['signer-api', 'select mac from users'],
    ['signer-api', 'select body from activity_log'],
    ['signer-api', 'select intent from activities'],
    ['signer-api', 'select payload_sealed from mail_outbox'],
    ['signer-api', `update users set email = 'thief@example.com'`],
    ['signer-api', `update projects set allowed_origins = '{https://thief.example}'`],
    // Only custody may change the counts of wrong codes, so that the role that mails codes cannot guess them.
    ['signer-api', 'delete from custody_limits'],
    ['mail', 'delete from credentials'],
    // The queuing role can set neither texts nor delivery states of webhooks, and the sending role can read no other
    // table.
    ['gateway', `insert into webhook_outbox (state) values ('dead')`],
    ['webhooks', `update webhook_outbox set data = '{}'`],
    ['webhooks', 'select request from operations'],
    ['mail', 'update mail_outbox set credential_id = null'],
    ['mail', 'select intent from activities'],
    ['gateway', `update operation_events set state = 'dropped'`],
    ['console', 'select request from operations'],
    ['console', `update operations set state = 'dropped'`],
    ['signer-api', `select from latchkey_jobs._private_jobs`],
    ['gateway', `update projects set api_key_hash = ''`],
    ['gateway', `select fail_mail(gen_random_uuid(), 'x')`],
    ['gateway', `update api_keys set revoked_at = null`],
    ['console', 'select api_key_hash from projects'],
    ['console', 'select key_hash from api_keys'],
    // Operators can be created only under a configured key, and their log is permanent.
    ['gateway', `insert into operators (id) values (gen_random_uuid())`],
    ['admin', `update operators set role = 'admin'`],
    ['admin', 'delete from operators'],
    ['admin', `update operator_log set action = 'x'`],
    ['admin', 'delete from operator_log'],
    ['admin', 'truncate operator_log'],
    ['admin', 'alter table operator_log disable trigger all'],
    ['admin', 'select api_key_hash from projects'],
    ['admin', `update projects set allowed_origins = '{https://thief.example}'`],
    ['admin', 'select key_hash from api_keys'],
    ['admin', `update api_keys set key_hash = ''`],
    ['admin', 'delete from gas_policies'],
    ['admin', 'select request from operations'],
    ['admin', `update operations set state = 'seen'`],
    ['admin', `update reservations set amount = 0`],
    ['admin', 'select payload_sealed from mail_outbox'],
    ['admin', 'select credential_id from mail_outbox'],
    ['admin', `update mail_outbox set recipient = 'thief@example.com'`],
    ['admin', 'select data from webhook_outbox'],
    ['admin', `update webhook_outbox set endpoint = 'x'`],
    ['admin', 'delete from webhook_outbox'],
    ['gateway', `select find_organizations('a@example.com', null)`],
    ['console', 'select describe_organization(gen_random_uuid())'],
    ['console', 'select describe_sign_in(gen_random_uuid())'],
    ['admin', 'select subject from oauth_providers'],
    ['admin', 'select sealed_key from multi_factors'],
    ['console', `select read_call_data('0x')`],
    ['webhooks', `select read_call_data('0x')`],
    ['admin', 'select id from users'],
    ['admin', 'select email from users'],
    ['admin', 'delete from refusals'],
    ['admin', `update chain_states set state = '{}'`],
    ['console', 'update organizations set deleted_at = null'],
    ['custody', 'update activity_log set type = null'],
    ['custody', 'delete from activity_log'],
    ['custody', 'truncate activity_log'],
    ['custody', 'drop table activity_log'],
    ['custody', 'alter table activity_log disable trigger all'],
    ['custody', 'create table mine (id int)'],
  ]
  const results = await Promise.all(
    attacks.map(async ([role, statement]) => [statement, await attempt(role, statement)]),
  )
  expect(results).toEqual(attacks.map(([, statement]) => [statement, refused]))
})

test.each([
  'fail_mail',
  'find_organizations',
  'describe_organization',
  'describe_sign_in',
  'read_call_data',
  'refuse_log_change',
])('ignores tables of the caller in the function %s', async (name) => {
  const { rows } = await owner.pool.query('select proconfig from pg_proc where proname = $1', [name])
  expect(rows).toEqual([{ proconfig: ['search_path=public, pg_temp'] }])
})

test('revokes manual grants by grants and by the next migration', async () => {
  const isReadable = () => attempt('gateway', 'select from wallets')
  for (const renew of [applyGrants, migrate]) {
    await owner.pool.query('grant select on wallets to latchkey_gateway')
    expect(await isReadable()).toBe('ok')
    await renew({ databaseUrl: database.url })
    expect(await isReadable()).toBe(refused)
  }
})

test('prints SQL with the same effect', async () => {
  await owner.pool.query('revoke all on projects from latchkey_gateway')
  expect(await attempt('gateway', 'select * from projects')).toBe(refused)
  await owner.pool.query(grantsSql())
  expect(await attempt('gateway', 'select * from projects')).toBe('ok')
})

test('sets passwords', async () => {
  // Database users belong to the whole server, and other test files use their passwords on the shared server.
  const own = await startTestDatabase({ migrated: true, server: 'own' })
  try {
    const password = `it's 100% "odd"`
    const { databaseUrls } = await applyGrants({ databaseUrl: own.url, passwords: { console: password } })
    expect(Object.keys(databaseUrls)).toEqual(['console'])
    const store = await openStore({ databaseUrl: databaseUrls.console ?? '', maxConnections: 1 })
    const { rows } = await store.pool.query('select current_user as name')
    await store.close()
    expect(rows).toEqual([{ name: 'latchkey_console' }])
  } finally {
    await own.close()
  }
})
