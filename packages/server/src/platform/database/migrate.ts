import { Migrator, sql } from 'kysely'
import { configInvalid, ServerError } from '../errors/ServerError.ts'
import { renewGrants } from './grants.ts'
import { migrateJobs } from './jobs.ts'
import * as schema from './migrations/0001_schema.ts'
import * as oauthProviders from './migrations/0002_oauth_providers.ts'
import * as confirmedPasskeys from './migrations/0003_confirmed_passkeys.ts'
import * as spendingRules from './migrations/0004_spending_rules.ts'
import * as multiFactors from './migrations/0005_multi_factors.ts'
import * as loggedIntents from './migrations/0006_logged_intents.ts'
import * as describedSignIn from './migrations/0007_described_sign_in.ts'
import { type Db, openStore } from './openStore.ts'

const migrations = {
  '0001_schema': schema,
  '0002_oauth_providers': oauthProviders,
  '0003_confirmed_passkeys': confirmedPasskeys,
  '0004_spending_rules': spendingRules,
  '0005_multi_factors': multiFactors,
  '0006_logged_intents': loggedIntents,
  '0007_described_sign_in': describedSignIn,
}
/**
 * Earlier names of the first migration. Until the first release, every edit renames that migration and adds the old
 * name here.
 */
const previews = ['0001_first', '0001_baseline']
/** Arbitrary id of this advisory lock. */
const migrationLock = 4_107_337

export declare namespace migrate {
  type Options = {
    /** `postgres://…` */
    databaseUrl: string
  }
  type ReturnType = {
    /** Names of the migrations applied; empty if the schema was up to date. */
    applied: string[]
  }
}

/**
 * Migrates the schema of a database and its users' grants, all or nothing. An advisory lock serializes replicas that
 * start together.
 *
 * @throws `DATABASE_UNREACHABLE`, `CONFIG_INVALID`, `INTERNAL`.
 *
 * @example
 * ```ts
 * import { migrate } from 'latchkey-server'
 *
 * const { applied } = await migrate({ databaseUrl: 'postgres://user:password@localhost:5432/latchkey' })
 * console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.')
 * ```
 */
export async function migrate(options: migrate.Options): Promise<migrate.ReturnType> {
  const store = await openStore(options)
  try {
    const lock = await store.pool.connect()
    try {
      await lock.query('select pg_advisory_lock($1)', [migrationLock])
      await assertReleased(store.db)
      await migrateJobs(store)
      const { error, results = [] } = await createMigrator(store.db).migrateToLatest()
      if (error)
        throw new ServerError('The database schema could not be brought up to date. Nothing was changed.', {
          code: 'INTERNAL',
          status: 500,
          cause: error,
        })
      await renewGrants(store)
      return { applied: results.map((result) => result.migrationName) }
    } finally {
      // Closing the connection releases the lock, also after an error.
      lock.release(true)
    }
  } finally {
    await store.close()
  }
}

/**
 * Returns the names of the migrations that a database still lacks.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  await assertReleased(db)
  const all = await createMigrator(db).getMigrations()
  return all.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name)
}

function createMigrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}

/** Rejects the database of a preview version from before the first release. */
async function assertReleased(db: Db): Promise<void> {
  const table = await sql<{ exists: boolean }>`select to_regclass('kysely_migration') is not null as exists`.execute(db)
  if (!table.rows[0]?.exists) return
  const { rows } = await sql`select from kysely_migration where name = any(${previews})`.execute(db)
  if (rows.length === 0) return
  throw configInvalid(
    'This database has a schema from before the first release, which cannot be brought up to date: start the devnet ' +
      'with `npm start -- --fresh` or `latchkey-dev --fresh`; for a server, export its wallets with the version that ' +
      'made it, then give DATABASE_URL an empty database and run `latchkey-server migrate`.',
  )
}
