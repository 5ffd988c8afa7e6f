import type { Db } from '../../platform/database/openStore.ts'
import {
  encodeRows,
  getMovedTable,
  type Keys,
  listSchema,
  movedNames,
  packRow,
  type Row,
  selectRows,
} from './movedTables.ts'

/** Accounts per query. */
const batchSize = 50
/** Rows per message. */
const messageRows = 200

export declare namespace readProject {
  type Parameters = {
    parentId: string
    /** Time at which the accounts were closed for the move; undefined for a rehearsal. */
    closedAt: Date | undefined
  }
}

/**
 * Yields all data of a project's users as JSON messages: a header, messages with rows of one table each, and an end
 * with the counts. `db` is one snapshot. Messages contain unwrapped data keys, so they must be sealed.
 * @throws `CONFIG_INVALID` for a row that custody did not write.
 */
export async function* readProject(
  db: Db,
  keys: Keys,
  { parentId, closedAt }: readProject.Parameters,
): AsyncGenerator<Uint8Array, void> {
  yield toMessage({ version: 1, parentId, closedAt: closedAt?.toISOString() ?? null, schema: await listSchema(db) })
  const ids = await listAccounts(db, parentId)
  let count = 0
  for (let start = 0; start <= ids.length; start += batchSize) {
    const isLast = start + batchSize > ids.length
    const batch = ids.slice(start, start + batchSize)
    for (const table of movedNames) {
      const withParent = isLast && getMovedTable(table).isOfParent ? [...batch, parentId] : batch
      const rows = reopen(table, await selectRows(db, table, withParent), closedAt)
      for (let first = 0; first < rows.length; first += messageRows) {
        const part = rows.slice(first, first + messageRows)
        const packed: Row[] = []
        for (const { signed, sent } of part) packed.push({ ...(await packRow(table, signed, keys)), ...sent })
        count += packed.length
        yield Buffer.concat([
          Buffer.from(`{"table":"${table}","rows":`),
          Buffer.from(encodeRows(packed)),
          Buffer.from('}'),
        ])
        for (const { data_key } of packed) if (data_key instanceof Uint8Array) data_key.fill(0)
      }
    }
  }
  yield toMessage({ end: true, rows: count, accounts: ids.length })
}

/** Reopens, on the target server, accounts that were closed for the move. */
function reopen(table: string, rows: readonly Row[], closedAt: Date | undefined): { signed: Row; sent: Row }[] {
  const isClosedForIt = ({ deleted_at }: Row) =>
    table === 'organizations' && deleted_at instanceof Date && deleted_at.getTime() === closedAt?.getTime()
  return rows.map((signed) => ({ signed, sent: isClosedForIt(signed) ? { deleted_at: null, destroyed_at: null } : {} }))
}

async function listAccounts(db: Db, parentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('organizations')
    .select('id')
    .where('parent_id', '=', parentId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

const toMessage = (content: object) => new Uint8Array(Buffer.from(JSON.stringify(content)))
