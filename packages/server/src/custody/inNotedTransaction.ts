import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import { countActivity } from '../platform/observability/metrics.ts'
import { noteDone } from '../platform/observability/securityEvents.ts'
import type { CustodyContext, Note } from './deps.ts'
import { queueNotes } from './queueNotes.ts'

type Context = Pick<CustodyContext, 'db' | 'logger' | 'projects' | 'rootOrganizationId'>

/**
 * Runs `run` in a transaction. On commit, its notes become security events with the request's id; webhooks are queued
 * in the same transaction. Rolled-back notes are discarded, so a retry after a conflict does not count twice.
 */
export async function inNotedTransaction<context extends Context, result>(
  context: context,
  requestId: string | undefined,
  run: (db: Db, context: context & Pick<CustodyContext, 'note' | 'countActivity'>) => Promise<result>,
): Promise<result> {
  let noted: Note[] = []
  let types: string[] = []
  const result = await inTransaction(context.db, async (db) => {
    noted = []
    types = []
    const note = (one: Note) => void noted.push(one)
    const done = await run(db, { ...context, note, countActivity: (type: string) => void types.push(type) })
    await queueNotes(context, db, noted)
    return done
  })
  for (const type of types) countActivity(type)
  for (const note of noted) noteDone(context.logger, { ...note, requestId })
  return result
}
