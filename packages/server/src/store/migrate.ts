import { Migrator } from 'kysely'
import { ServerError } from '../http/ServerError.ts'
import { migrateJobs } from './jobs.ts'
import * as first from './migrations/0001_first.ts'
import * as custody from './migrations/0002_custody.ts'
import * as wallets from './migrations/0003_wallets.ts'
import * as mail from './migrations/0004_mail.ts'
import * as emailClaims from './migrations/0005_email_claims.ts'
import * as accountMacs from './migrations/0006_account_macs.ts'
import * as recordMacs from './migrations/0007_record_macs.ts'
import { type Db, openStore } from './openStore.ts'

export const migrations = {
  '0001_first': first,
  '0002_custody': custody,
  '0003_wallets': wallets,
  '0004_mail': mail,
  '0005_email_claims': emailClaims,
  '0006_account_macs': accountMacs,
  '0007_record_macs': recordMacs,
}
/** Any constant will do; it names this lock among the database's advisory locks. */
const migrationLock = 4_107_337

/**
 * Brings the schema up to date and answers the names of the migrations it ran. Copies that start together
 * take turns under an advisory lock.
 *
 * @throws ServerError `DATABASE_UNREACHABLE` | `CONFIG_INVALID` | `INTERNAL`
 */
export async function migrate(options: migrate.Options): Promise<migrate.ReturnType> {
  const store = await openStore(options)
  try {
    const lock = await store.pool.connect()
    try {
      await lock.query('select pg_advisory_lock($1)', [migrationLock])
      await migrateJobs(store)
      const { error, results = [] } = await createMigrator(store.db).migrateToLatest()
      if (error instanceof ServerError) throw error
      if (error)
        throw new ServerError('The database schema could not be brought up to date. Nothing was changed.', {
          code: 'INTERNAL',
          status: 500,
          cause: error,
        })
      return { applied: results.map((result) => result.migrationName) }
    } finally {
      // Closing the connection gives the lock back, also after an error.
      lock.release(true)
    }
  } finally {
    await store.close()
  }
}

export declare namespace migrate {
  type Options = { databaseUrl: string }
  type ReturnType = { applied: string[] }
}

/** Names of the migrations a database still lacks. */
export async function listPendingMigrations(db: Db): Promise<string[]> {
  const all = await createMigrator(db).getMigrations()
  return all.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name)
}

function createMigrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}
