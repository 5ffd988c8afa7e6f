import { runMigrations } from 'graphile-worker'
import type { Store } from '../openStore.ts'
import { jobLogger } from './jobLogger.ts'
import { jobSchema } from './jobs.ts'

/** Brings the job queue's own schema up to date. */
export async function migrateJobs({ pool }: Pick<Store, 'pool'>): Promise<void> {
  await runMigrations({ pgPool: pool, schema: jobSchema, logger: jobLogger() })
}
