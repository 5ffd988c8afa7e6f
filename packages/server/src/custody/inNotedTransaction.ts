import { noteDone } from '../http/securityEvents.ts'
import { inTransaction } from '../store/inTransaction.ts'
import type { Db } from '../store/openStore.ts'
import type { CustodyContext, Note } from './deps.ts'

type Context = Pick<CustodyContext, 'db' | 'logger'>

/**
 * Runs `run` in a transaction. What it notes becomes a security event once that is committed, with the request's id: what
 * was rolled back did not happen, and what ran twice after a conflict happened once.
 */
export async function inNotedTransaction<context extends Context, result>(
  context: context,
  requestId: string | undefined,
  run: (db: Db, context: context & Pick<CustodyContext, 'note'>) => Promise<result>,
): Promise<result> {
  let noted: Note[] = []
  const result = await inTransaction(context.db, (db) => {
    noted = []
    return run(db, { ...context, note: (note: Note) => void noted.push(note) })
  })
  for (const note of noted) noteDone(context.logger, { ...note, requestId })
  return result
}
