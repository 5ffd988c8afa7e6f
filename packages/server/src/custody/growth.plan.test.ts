import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { createOwner, type Owner, queryExamples, question, submission } from '@latchkey/testkit/custodyExamples'
import { explainStatements, type Plan, recordStatements } from '@latchkey/testkit/recordStatements'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'

// What people wait for, among many accounts: the plans that PostgreSQL chooses by itself, from figures of full tables.

/** Accounts besides. `LATCHKEY_PLAN_ROWS` takes more by hand, and prints times and sizes. */
const accounts = Number(process.env.LATCHKEY_PLAN_ROWS ?? 6_000)
const times = process.env.LATCHKEY_PLAN_ROWS ? 50 : 1
const tables = [
  'organizations',
  'users',
  'credentials',
  'wallets',
  'wallet_accounts',
  'activities',
  'activity_log',
  'activity_log_heads',
] as const

let custody: TestCustody
let plans: Plan[]

beforeAll(async () => {
  custody = await startTestCustody()
  const template = await createOwner(custody)
  for (let count = 0; count < 3; count++) await ask(template, 'sign_raw_payload')
  await copyAccount(template.orgId)
  const owner = await createOwner(custody)
  const statements = await recordStatements(async (during) => {
    for (const name of ['whoami', 'sign_raw_payload', 'list_activities', 'get_user', 'list_wallets']) {
      during(name)
      await measure(name, () => ask(owner, name))
    }
    during('sign-up')
    await measure('sign-up', () => createOwner(custody))
    during('')
  })
  plans = await explainStatements(custody.store.databaseUrl, statements, { mayReadWhole: true })
}, 3_600_000)
afterAll(() => custody?.close())

async function ask(owner: Owner, name: string): Promise<void> {
  const group = name in queryExamples ? 'query' : 'submit'
  const body = await (group === 'query' ? question : submission)(custody, owner, name)
  const { status } = await custody.call(`${group}/${name}`, body, owner.key)
  expect([name, status]).toEqual([name, 200])
}

async function measure(name: string, run: () => Promise<unknown>): Promise<void> {
  const took: number[] = []
  for (let count = 0; count < times; count++) {
    const began = performance.now()
    await run()
    took.push(performance.now() - began)
  }
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor((took.length - 1) * share)]?.toFixed(1)
  if (times > 1) console.info(`${accounts} accounts, ${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
}

/** Every row of an account again and again, with its own ids and unique values; MACs are those of the first. */
async function copyAccount(orgId: string): Promise<void> {
  // Without the store's time limit: a table is filled by one statement.
  const client = new pg.Client({ connectionString: custody.store.databaseUrl })
  await client.connect()
  try {
    await client.query(`set session_replication_role = replica; set statement_timeout = 0`)
    for (const table of tables) {
      const { rows: columns } = await client.query<{ name: string; type: string }>(
        `select column_name as name, data_type as type from information_schema.columns
        where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`,
        [table],
      )
      const values = columns.map(({ name, type }) => toCopied(name, type))
      await client.query(
        `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
        select ${values.join(', ')} from ${table}, generate_series(1, ${accounts}) as n
        where ${table === 'organizations' ? 'id' : 'org_id'} = $1`,
        [orgId],
      )
    }
    await client.query(`vacuum analyze ${tables.join(', ')}`)
    if (times > 1) {
      const { rows } = await client.query<{ bytes: string }>(
        'select sum(pg_total_relation_size(name::regclass))::text as bytes from unnest($1::text[]) as name',
        [[...tables]],
      )
      console.info(`${accounts} accounts: ${Math.round(Number(rows[0]?.bytes) / accounts)} bytes an account`)
    }
  } finally {
    await client.end()
  }
}

function toCopied(name: string, type: string): string {
  if (['parent_id', 'parent_org_id', 'aaguid'].includes(name)) return name
  if (type === 'uuid') return `md5(${name}::text || n)::uuid`
  return ['email', 'public_key', 'credential_id', 'credential_public_key', 'address'].includes(name)
    ? `${name} || '.' || n`
    : name
}

test('behavior: among many accounts nothing that people wait for reads a table', () => {
  expect(plans.length).toBeGreaterThan(20)
  const read = plans.flatMap(({ during, text, scans }) =>
    scans
      .filter(({ kind, table }) => kind === 'Seq Scan' && tables.some((name) => name === table))
      .map((scan) => ({ during, text, scan })),
  )
  expect(read).toEqual([])
})
