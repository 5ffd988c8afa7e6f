import { sql } from 'kysely'
import { inTransaction } from '../store/inTransaction.ts'
import { eraseResults } from './activities/eraseResults.ts'
import { openMs } from './activities/isOpen.ts'
import type { CustodyContext } from './deps.ts'

type Context = Pick<CustodyContext, 'db' | 'macKey' | 'now' | 'logger'>

/** Session keys that ended stay as long as something they asked for may wait for votes, and a day more. */
const keptMs = openMs + 24 * 3_600_000
const batchSize = 1_000
/** What is left then is for the next time. */
const maxBatches = 100

/**
 * Erases and deletes what is of no use any more: results that hold a secret, session keys and import targets that ended.
 * In batches, each for itself, beside whatever else goes on; copies of the server do not wait for each other. `signal` ends
 * it after the batch under way.
 */
export async function purge(context: Context, signal?: AbortSignal): Promise<void> {
  const { db } = context
  await repeat(() => inTransaction(db, (inner) => eraseResults(context, inner)), signal)
  const now = new Date(context.now())
  await repeat(() => deleteEnded('credentials', new Date(now.getTime() - keptMs)), signal)
  await repeat(() => deleteEnded('import_targets', now), signal)

  async function deleteEnded(table: 'credentials' | 'import_targets', before: Date): Promise<number> {
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where expires_at < ${before} limit ${batchSize} for update skip locked
    )`.execute(db)
    return Number(numAffectedRows)
  }
}

/** Purges now and every ten minutes; answers what ends that. */
export function startPurge(context: Context, { everyMs = 600_000 } = {}): () => Promise<void> {
  const end = new AbortController()
  const once = () =>
    purge(context, end.signal).catch((error: unknown) => {
      context.logger.error({ cause: error instanceof Error ? error.stack : undefined }, 'What ended is not deleted')
    })
  let running = once()
  const timer = setInterval(() => {
    running = running.then(once)
  }, everyMs)
  return async () => {
    clearInterval(timer)
    end.abort()
    await running
  }
}

async function repeat(doBatch: () => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
  for (let batches = 0; batches < maxBatches && !signal?.aborted; batches++) if ((await doBatch()) === 0) return
}
