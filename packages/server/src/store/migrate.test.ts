import { startTestDatabase } from '@latchkey/testkit/database'
import { Migrator } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, migrations } from './migrate.ts'
import { openStore } from './openStore.ts'

let database: Awaited<ReturnType<typeof startTestDatabase>>
beforeAll(async () => {
  // It makes databases of its own there.
  database = await startTestDatabase({ server: 'own' })
})
afterAll(() => database.close())

const names = [
  '0001_first',
  '0002_custody',
  '0003_wallets',
  '0004_mail',
  '0005_email_claims',
  '0006_account_macs',
  '0007_record_macs',
]

test('default', async () => {
  expect(await migrate({ databaseUrl: database.url })).toEqual({ applied: names })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(`select table_name from information_schema.tables where table_schema = 'public'`)
  const jobs = await client.query(
    `select to_regprocedure('latchkey_jobs.add_jobs(latchkey_jobs.job_spec[],boolean)') as f`,
  )
  await client.end()
  const tables = rows.map((row) => row.table_name)
  expect(tables).toEqual(expect.arrayContaining(['organizations', 'activity_log', 'private_keys', 'mail_outbox']))
  expect(jobs.rows[0].f).not.toBeNull()
})

test('behavior: what names a credential is indexed by it, so that deleting ended ones reads no whole tables', async () => {
  const { pool, close } = await openStore({ databaseUrl: database.url })
  const { rows } = await pool.query(`select conrelid::regclass::text as name, exists (
      select from pg_index where indrelid = conrelid and indkey[0] = conkey[1]
    ) as indexed from pg_constraint where contype = 'f' and confrelid = 'credentials'::regclass order by name`)
  await close()
  expect(rows).toEqual(['mail_codes', 'mail_outbox'].map((name) => ({ name, indexed: true })))
})

test('behavior: a second run changes nothing', async () => {
  expect(await migrate({ databaseUrl: database.url })).toEqual({ applied: [] })
})

test('behavior: copies that start together take turns', async () => {
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query('create database fresh')
  await admin.end()
  const url = new URL(database.url)
  url.pathname = '/fresh'
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate({ databaseUrl: url.href })))
  expect(runs.flatMap((run) => run.applied)).toEqual(names)
})

const organization = `insert into organizations (id, name) values (gen_random_uuid(), 'Old')`

test.each([
  { last: '0001_first', row: organization, column: 'alter table users add column mac text' },
  {
    last: '0006_account_macs',
    row: `${organization}; insert into activities (id, org_id, fingerprint, type, status, intent, result, user_id, credential_id)
      select gen_random_uuid(), id, '', '', '', '{}', '{}', id, id from organizations`,
    column: 'alter table activities add column mac text',
  },
])('error: a database of $last, whose rows nobody vouched for, says so and stays as it is', async (old) => {
  const url = new URL(database.url)
  url.pathname = `/old_${old.last}`
  const run = async (connectionString: string, text: string) => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  await run(database.url, `create database old_${old.last}`)
  const { db, close } = await openStore({ databaseUrl: url.href })
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateTo(old.last)
  expect(error).toBeUndefined()
  await close()
  await run(url.href, old.row)
  await expect(migrate({ databaseUrl: url.href })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('start with an empty database'),
  })
  await run(url.href, old.column)
})

test('error: an unreachable database is named without its password', async () => {
  await expect(migrate({ databaseUrl: 'postgres://user:hunter2@127.0.0.1:1/none' })).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: 'PostgreSQL at 127.0.0.1:1/none does not answer. Check that it runs and that DATABASE_URL is right.',
  })
})
