import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { ActivityLogHeadTable } from '../../platform/database/tables.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac } from '../macs.ts'
import { entryHash, firstHash, type LogEntry, scheme } from './logEntry.ts'

type Context = Pick<CustodyContext, 'macKey'>
export type Head = Selectable<ActivityLogHeadTable>

export declare namespace appendLog {
  type Content = Omit<LogEntry, 'seq' | 'previous_hash' | 'hash' | 'scheme' | 'salt' | 'content_digest' | 'intent'> & {
    /** See `toLoggedIntent`. @default '' nothing is signed */
    intent?: string | undefined
  }
}

/**
 * Appends an activity's authorization to its organization's chain. Replicas block each other only on the same chain.
 * Call it last: it locks the chain's head until the transaction ends. @throws `INTERNAL` if custody did not write the
 * chain's head.
 */
export async function appendLog(context: Context, db: Db, content: appendLog.Content): Promise<void> {
  const entry = linkEntry(content, await lockHead(context, db, content.org_id))
  const { org_id, seq, hash } = entry
  await db
    .with('moved', (query) =>
      query
        .updateTable('activity_log_heads')
        .set({ seq, hash, mac: mac(context.macKey, 'activity_log_heads', { org_id, seq, hash }) })
        .where('org_id', '=', org_id),
    )
    .insertInto('activity_log')
    .values(entry)
    .execute()
}

export function linkEntry({ intent = '', ...content }: appendLog.Content, head: Pick<Head, 'seq' | 'hash'>): LogEntry {
  const linked = {
    ...content,
    intent,
    scheme,
    salt: randomBytes(16),
    content_digest: null,
    seq: String(Number(head.seq) + 1),
    previous_hash: head.hash,
  }
  return { ...linked, hash: entryHash(linked) }
}

/**
 * Returns the chain heads of organizations, checked by MAC; an empty head for an organization without a chain.
 * @throws `INTERNAL`.
 */
export async function readHeads(context: Context, db: Db, orgIds: readonly string[]): Promise<Map<string, Head>> {
  const query = sql<Head>`
    select org_id, seq, hash, mac from activity_log_heads where org_id = any(${orgIds}::uuid[])`
  const { rows } = await namedQuery(db, 'read_log_heads', query)
  const stored = new Map(rows.map((row) => [row.org_id, checkHead(context, row)]))
  return new Map(orgIds.map((orgId) => [orgId, stored.get(orgId) ?? firstHead(context, orgId)]))
}

async function lockHead(context: Context, db: Db, org_id: string): Promise<Head> {
  // A no-op update locks the row in the same round trip.
  const head = await db
    .insertInto('activity_log_heads')
    .values(firstHead(context, org_id))
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ org_id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return checkHead(context, head)
}

function firstHead({ macKey }: Context, org_id: string): Head {
  const first = { org_id, seq: '0', hash: firstHash(org_id) }
  return { ...first, mac: mac(macKey, 'activity_log_heads', first) }
}

function checkHead({ macKey }: Context, head: Head): Head {
  if (isGenuine(macKey, 'activity_log_heads', head)) return head
  throw new ServerError(
    'The log of this organization was changed from outside, so nothing more is done for it. Run `latchkey-server audit verify`.',
    { code: 'INTERNAL', status: 500 },
  )
}
