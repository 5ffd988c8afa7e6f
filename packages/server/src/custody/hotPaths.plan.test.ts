import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { createOwner, queryExamples, question, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { explainStatements, type Plan, recordStatements } from '@latchkey/testkit/recordStatements'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Every statement that a call of custody runs, by the plan that PostgreSQL makes where no table may be read whole: a scan
// that is left has no index to go by.

let custody: TestCustody
let plans: Plan[]

beforeAll(async () => {
  custody = await startTestCustody()
  const statements = await recordStatements(async (during) => {
    for (const [group, examples, make] of [
      ['submit', submitExamples, submission],
      ['query', queryExamples, question],
    ] as const)
      for (const [name, { by, threshold }] of Object.entries(examples)) {
        const owner = await createOwner(custody, threshold)
        const body = await make(custody, owner, name)
        during(`${group}/${name}`)
        const { status } = await custody.call(`${group}/${name}`, body, by === 'parent' ? custody.rootKey : owner.key)
        during('')
        expect([name, status]).toEqual([name, 200])
      }
  })
  plans = await explainStatements(custody.store.databaseUrl, statements)
}, 180_000)
afterAll(() => custody?.close())

/** Tables whose rows belong to an organization, by the column that says which. */
const ownedBy: Readonly<Record<string, string>> = {
  organizations: 'id',
  users: 'org_id',
  credentials: 'org_id',
  wallets: 'org_id',
  wallet_accounts: 'org_id',
  private_keys: 'org_id',
  import_targets: 'org_id',
  activities: 'org_id',
  activity_log: 'org_id',
  activity_log_heads: 'org_id',
  mail_codes: 'org_id',
  mail_outbox: 'org_id',
  confirmations: 'org_id',
}

/** Look-ups that find the organization: they go over all, and in a database of several machines need a table of their own. */
const directory: readonly (readonly [table: string, index: string])[] = [
  // By e-mail under a parent, and what is below a parent. In a small table either index of addresses serves.
  ['users', 'users_email'],
  ['users', 'users_address'],
  ['organizations', 'organizations_parent'],
  // By passkey, and by the key of a stamp whose query names no organization.
  ['credentials', 'credentials_passkey'],
  ['credentials', 'credentials_public_key'],
]

test('default: every statement finds its rows by an index', () => {
  expect(plans.length).toBeGreaterThan(60)
  const without = plans.flatMap(({ during, text, scans }) =>
    scans
      .filter(({ kind, conditions }) => kind === 'Seq Scan' || !conditions.startsWith('INDEX'))
      .map((scan) => ({ during, text, scan })),
  )
  expect(without).toEqual([])
})

test('behavior: every statement names the organization of its rows, but for the directory', () => {
  const without = plans.flatMap(({ during, text, scans }) =>
    scans
      .filter(({ table, index, conditions }) => {
        const column = ownedBy[table]
        const isListed = directory.some(([name, by]) => name === table && by === index)
        return column !== undefined && !isListed && !new RegExp(`\\b${column}\\b`).test(conditions)
      })
      .map(({ table, conditions }) => `${during}: ${table} by ${conditions}: ${text}`),
  )
  expect(without).toEqual([])
})

const randomId = 'a random UUID, unique without being looked for: the key (org_id, id)'
const bothSides = 'the same with org_id on both sides'
/** What is unique over all organizations, and what refers across them, with what a database of several machines needs instead. */
const crossing: Readonly<Record<string, string>> = {
  activities_pkey: randomId,
  activity_log_activity_id_key: 'the key (org_id, activity_id)',
  confirmations_activity_id_fkey: bothSides,
  confirmations_pkey: randomId,
  confirmations_secret_hash_key:
    'the secret of a mail is 32 random bytes: a directory of hashes, or the organization in the link',
  confirmations_user_id_fkey: bothSides,
  credentials_passkey: 'a directory of passkeys: one credential id, one account (WebAuthn L3 § 7.1 step 26)',
  credentials_pkey: randomId,
  import_targets_pkey: randomId,
  import_targets_user_id_fkey: bothSides,
  mail_codes_credential_id_fkey: bothSides,
  mail_codes_pkey: randomId,
  mail_codes_user_id_fkey: bothSides,
  mail_outbox_activity_id_fkey: bothSides,
  mail_outbox_credential_id_fkey: bothSides,
  mail_outbox_pkey: randomId,
  mail_outbox_user_id_fkey: bothSides,
  private_keys_pkey: randomId,
  users_email: 'a directory of addresses under a parent',
  users_pkey: randomId,
  wallet_accounts_pkey: randomId,
  wallet_accounts_wallet_id_path_key: 'the key (org_id, wallet_id, path)',
  wallets_pkey: randomId,
}

test('behavior: constraints that cross organizations are listed with what they need', async () => {
  const tables = Object.keys(ownedBy)
  const { rows: unique } = await custody.store.pool.query<{ name: string; table: string; columns: string }>(
    `select i.relname as name, t.relname as table, pg_get_indexdef(x.indexrelid) as columns
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where x.indisunique and t.relname = any($1)`,
    [tables],
  )
  const { rows: references } = await custody.store.pool.query<{ name: string; columns: string }>(
    `select conname as name, pg_get_constraintdef(c.oid) as columns from pg_constraint c
    join pg_class t on t.oid = c.conrelid where contype = 'f' and t.relname = any($1)`,
    [tables],
  )
  const found = [
    ...unique.filter(({ table, columns }) => !new RegExp(`\\(.*\\b${ownedBy[table]}\\b.*\\)`).test(columns)),
    ...references.filter(({ columns }) => !columns.includes('org_id') && !columns.includes('REFERENCES organizations')),
  ]
  expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(crossing).sort())
})
