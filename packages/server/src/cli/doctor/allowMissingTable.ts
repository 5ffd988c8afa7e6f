import type { Skipped } from './checks.ts'

/** Result of a check whose tables a migration still has to create. */
export const beforeMigrations: Skipped = { skipped: 'not checked until the migrations have run' }

/**
 * Skips a check if its table is missing (SQLSTATE 42P01), because another check reports missing tables. Rethrows other
 * errors.
 */
export function allowMissingTable(error: unknown): Skipped {
  if ((error as { code?: unknown }).code === '42P01') return beforeMigrations
  throw error
}
