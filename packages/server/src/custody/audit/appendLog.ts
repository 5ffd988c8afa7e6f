import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { isSameMac } from '../rowMac.ts'
import { entryHash, firstHash, headMac, type LogEntry } from './logEntry.ts'

/**
 * Adds what authorised an activity to the end of its organization's chain. A chain for each organization: copies of the
 * server wait for each other only where they act for the same one. Call it last, since it holds the chain's end until the
 * transaction is over.
 *
 * @throws ServerError `INTERNAL` when the chain's end is not as custody left it
 */
export async function appendLog(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  content: appendLog.Content,
): Promise<void> {
  const { macKey } = context
  const head = await lockHead(context, db, content.org_id)
  const linked = { ...content, seq: String(Number(head.seq) + 1), previous_hash: head.hash }
  const entry = { ...linked, hash: entryHash(linked) }
  const { org_id, seq, hash } = entry
  await db
    .with('moved', (query) =>
      query
        .updateTable('activity_log_heads')
        .set({ seq, hash, mac: headMac(macKey, { org_id, seq, hash }) })
        .where('org_id', '=', org_id),
    )
    .insertInto('activity_log')
    .values(entry)
    .execute()
}

export declare namespace appendLog {
  type Content = Omit<LogEntry, 'seq' | 'previous_hash' | 'hash'>
}

async function lockHead({ macKey }: Pick<CustodyContext, 'macKey'>, db: Db, org_id: string) {
  const first = { org_id, seq: '0', hash: firstHash(org_id) }
  // Writing the row to itself locks it in the round trip that makes it.
  const head = await db
    .insertInto('activity_log_heads')
    .values({ ...first, mac: headMac(macKey, first) })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ org_id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  if (isSameMac(headMac(macKey, head), head.mac)) return head
  throw new ServerError(
    'The log of this organization was changed from outside, so nothing more is done for it. Run `latchkey-server audit verify`.',
    { code: 'INTERNAL', status: 500 },
  )
}
