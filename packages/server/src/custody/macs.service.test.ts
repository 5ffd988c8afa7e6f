import { startTestDatabase } from '@latchkey/testkit/database'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStore } from '../platform/database/openStore.ts'
import { type Covered, isGenuine, type MacKind, mac, macs } from './macs.ts'

const key = new Uint8Array(32).fill(7)
const at = new Date('2026-01-02T03:04:05.678Z')
const rows: { [kind in MacKind]: Covered<kind> } = {
  organizations: {
    id: 'id',
    parent_id: 'parent',
    root_quorum_threshold: 2,
    deleted_at: at,
    frozen_at: null,
    spending_rules: null,
  },
  users: {
    id: 'id',
    org_id: 'org',
    parent_org_id: null,
    email: 'a@b.example',
    email_verified_at: at,
    email_claimed: false,
    factor_since: null,
  },
  credentials: {
    id: 'id',
    user_id: 'user',
    org_id: 'org',
    kind: 'api_key',
    type: 'CREDENTIAL_TYPE_API_KEY_P256',
    public_key: '02ab',
    credential_id: null,
    rp_id: null,
    email_session: false,
    authenticated_at: at,
    expires_at: null,
    revoked_at: null,
    created_at: at,
    counter: '5',
    confirmed_at: null,
    scope: null,
  },
  oauth_providers: {
    id: 'id',
    user_id: 'user',
    org_id: 'org',
    parent_org_id: 'parent',
    issuer: 'https://issuer.example',
    audience: 'client',
    subject: 'subject',
    revoked_at: null,
  },
  multi_factors: {
    id: 'id',
    user_id: 'user',
    org_id: 'org',
    last_step: 58_000_000,
    recovery_codes: ['0a'],
    activated_at: at,
  },
  wallet_accounts: { id: 'id', org_id: 'org', wallet_id: 'wallet', path: 'm/0', address: '0xAb', public_key: '02ab' },
  private_keys: { id: 'id', org_id: 'org', address: '0xAb', public_key: '02ab' },
  activities: {
    id: 'id',
    org_id: 'org',
    fingerprint: 'sha256:00',
    type: 'ACTIVITY_TYPE_EMAIL_AUTH',
    status: 'ACTIVITY_STATUS_COMPLETED',
    user_id: 'user',
    credential_id: 'credential',
    threshold: 1,
    intent: { emailAuthIntent: { email: 'a@b.example' } },
    result: {},
    failure: null,
    result_expires_at: null,
    created_at: at,
    updated_at: at,
  },
  activity_votes: {
    id: 'id',
    activity_id: 'activity',
    fingerprint: 'sha256:00',
    user_id: 'user',
    selection: 'VOTE_SELECTION_APPROVED',
  },
  confirmations: {
    id: 'id',
    kind: 'confirm',
    activity_id: 'activity',
    org_id: 'org',
    user_id: 'user',
    secret_hash: Uint8Array.of(1, 2),
    details: { action: 'add-key' },
    expires_at: at,
  },
  activity_log_heads: { org_id: 'org', seq: '3', hash: Uint8Array.of(1, 2) },
  mail_codes: {
    id: 'id',
    org_id: 'org',
    user_id: 'user',
    credential_id: null,
    target_public_key: '04ab',
    session_seconds: 900,
    expires_at: at,
    code: '123456',
  },
}

const kinds = Object.keys(rows).filter((name): name is MacKind => name in rows)

test('computes the MACs of stored rows', () => {
  const hex = <kind extends MacKind>(kind: kind) => Buffer.from(mac(key, kind, rows[kind])).toString('hex')
  // Stored rows contain exactly these bytes.
  expect(Object.fromEntries(kinds.map((kind) => [kind, hex(kind)]))).toEqual({
    multi_factors: '729a72e0969d99a67c531e11d64ae26bbe9b0994be42818d778b63ced4db89e9',
    oauth_providers: '37c251680b940c665e6a1e50ca333316252368392b9f80167a8fc76de45cacaa',
    organizations: '0d06d92ce5063eae0faa4f2a63c93ffb37ae6e9419084546b39359f77de8cf84',
    users: 'ad88fb655462107061603f1d91bfb15a227864f005eb5c538c486c0bbfbe4a09',
    credentials: 'd26c720c4f5b5ebc2e8629c2f71ca3dd79d91b7208f290ee69cca206e870070d',
    wallet_accounts: '3b924125f44ee36e0887a6ff05343711c0b9be1ba960877e260e8f27835f8869',
    private_keys: '7542b0b349d675c2648ac8a2311f8b11c9b19df8da459ea6de41e3565c5b9fe9',
    activities: '4e8925a40b3cd43ffdb8270ed52fe7a7cc3408cf2c2a379487550a81b5464347',
    activity_votes: '57babca5c9bdc6e08b0d9e0220fa38fe6f3ac8b4891f2f442c0991435b942afd',
    confirmations: '4b103b38c5bfba797665f103b640d0da0b0377b33b6291cd834ec185373f05b0',
    activity_log_heads: '64584967081ea0f7c31341c8c25a789a2761a3e243f632a5e2e71fe79c756f3d',
    mail_codes: '80e117a667815a63888ae698766685656065ef82513087c34387b9251cfe6054',
  })
})

test('ignores uncovered columns and the order of members', () => {
  const check = <kind extends MacKind>(kind: kind) => {
    const genuine = { ...rows[kind], mac: mac(key, kind, rows[kind]) }
    expect(isGenuine(key, kind, genuine), kind).toBe(true)
    const uncovered = Object.keys(macs[kind]).filter((column) => !(column in rows[kind]))
    for (const column of uncovered) expect(isGenuine(key, kind, { ...genuine, [column]: 'other' }), column).toBe(true)
    const backwards = Object.entries({ ...genuine }).reverse()
    expect(isGenuine(key, kind, { ...Object.fromEntries(backwards), ...genuine }), kind).toBe(true)
  }
  kinds.forEach(check)
})

test('refuses changed columns, another kind or key, and a truncated MAC', () => {
  const check = <kind extends MacKind>(kind: kind) => {
    const genuine = { ...rows[kind], mac: mac(key, kind, rows[kind]) }
    for (const column of Object.keys(rows[kind]))
      expect(isGenuine(key, kind, { ...genuine, [column]: 'other' }), `${kind} ${column}`).toBe(false)
    expect(isGenuine(new Uint8Array(32), kind, genuine), kind).toBe(false)
    expect(isGenuine(key, kind, { ...genuine, mac: genuine.mac.subarray(1) }), kind).toBe(false)
    expect(isGenuine(key, kind, { ...genuine, mac: new Uint8Array() }), kind).toBe(false)
  }
  kinds.forEach(check)
  const account = { ...rows.wallet_accounts, ...rows.private_keys }
  expect(isGenuine(key, 'private_keys', { ...account, mac: mac(key, 'wallet_accounts', account) })).toBe(false)
})

test('refuses a freeze that was lifted, moved or made in the database', () => {
  const free = rows.organizations
  const frozen = { ...free, frozen_at: at }
  const sealed = { ...frozen, mac: mac(key, 'organizations', frozen) }
  expect(isGenuine(key, 'organizations', sealed)).toBe(true)
  for (const frozen_at of [null, new Date(0)])
    expect(isGenuine(key, 'organizations', { ...sealed, frozen_at })).toBe(false)
  expect(isGenuine(key, 'organizations', { ...frozen, mac: mac(key, 'organizations', free) })).toBe(false)
})

test('covers every table and column of the database', async () => {
  const database = await startTestDatabase({ migrated: true })
  const { db, close } = await openStore({ databaseUrl: database.url })
  const stored = await sql<{ name: string; columns: string[] }>`
    select table_name as name, array_agg(column_name::text order by column_name) as columns
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
    group by table_name order by table_name`.execute(db)
  await close()
  await database.close()
  const extra: string[] = ['activity_votes fingerprint', 'mail_codes code']
  const listed = Object.entries<string | object>(macs).map(([name, coverage]) => {
    if (typeof coverage === 'string') return { name, columns: expect.not.arrayContaining(['mac']) }
    const columns = Object.keys(coverage).filter((column) => !extra.includes(`${name} ${column}`))
    return { name, columns: [...columns, 'mac'].sort() }
  })
  expect(stored.rows).toEqual(listed.sort((a, b) => (a.name < b.name ? -1 : 1)))
})
