import { startTestDatabase } from '@latchkey/testkit/database'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { migrate } from './migrate.ts'

// This file creates databases, so it starts its own server.
const database = await startTestDatabase({ server: 'own' })
afterAll(() => database.close())

const names = [
  '0001_schema',
  '0002_oauth_providers',
  '0003_confirmed_passkeys',
  '0004_spending_rules',
  '0005_multi_factors',
  '0006_logged_intents',
  '0007_described_sign_in',
]

test('creates the schema', async () => {
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

test('takes turns when copies start together', async () => {
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query('create database fresh')
  await admin.end()
  const url = new URL(database.url)
  url.pathname = '/fresh'
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate({ databaseUrl: url.href })))
  expect(runs.flatMap((run) => run.applied)).toEqual(names)
})

test('refuses the database of a preview', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query("insert into kysely_migration values ('0001_baseline', '2026-01-01')")
  await client.end()
  await expect(migrate({ databaseUrl: database.url })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('from before the first release'),
  })
})
