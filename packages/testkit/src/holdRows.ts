import { setTimeout } from 'node:timers/promises'
import type { Store } from '../../server/src/platform/database/openStore.ts'
import { FixtureError } from './FixtureError.ts'

const patienceMs = 30_000

/** Locks the rows of a `select … for update`. Concurrent requests wait for the lock and continue at the same time. */
export async function holdRows(pool: Store['pool'], query: string, values: readonly unknown[]) {
  const client = await pool.connect()
  await client.query('begin')
  await client.query(query, [...values])
  return {
    async untilWaiting(count: number): Promise<void> {
      for (const end = Date.now() + patienceMs; Date.now() < end; await setTimeout(20)) {
        const { rows } = await pool.query(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (rows[0].waiting >= count) return
      }
      throw new FixtureError(`No ${count} transactions waited for the rows.`)
    },
    async release(): Promise<void> {
      await client.query('commit')
      client.release()
    },
  }
}
