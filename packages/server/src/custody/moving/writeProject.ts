import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { verifyLog } from '../audit/verifyLog.ts'
import {
  decodeRows,
  getMovedTable,
  insertRow,
  type Keys,
  listColumns,
  listSchema,
  type MovedName,
  movedNames,
  type Row,
  unpackRow,
} from './movedTables.ts'

const headSchema = z.strictObject({
  version: z.literal(1),
  parentId: z.uuid(),
  closedAt: z.iso.datetime().nullable(),
  schema: z.array(z.string()),
})
const messageSchema = z.union([
  z.strictObject({ table: z.enum(movedNames), rows: z.unknown() }),
  z.strictObject({ end: z.literal(true), rows: z.number(), accounts: z.number() }),
])

export declare namespace writeProject {
  type Options = {
    /** Parent organizations of the projects in this server's configuration. */
    parentIds: readonly string[]
    /** Whether to accept data still in use on the other server. */
    isRehearsal: boolean
  }
  type ReturnType = { parentId: string; accounts: number; rows: number; entries: number }
}

/**
 * Writes the output of `readProject` in the transaction `db` under this server's keys, and verifies the log afterwards.
 * @throws `CONFIG_INVALID`
 */
export async function writeProject(
  db: Db,
  keys: Keys,
  messages: AsyncIterator<Uint8Array>,
  { parentIds, isRehearsal }: writeProject.Options,
): Promise<writeProject.ReturnType> {
  const head = headSchema.safeParse(await readMessage(messages)).data
  if (!head) throw configInvalid('The file is of a form that this release does not know.')
  const { parentId, closedAt, schema } = head
  if (!isDeepStrictEqual(schema, await listSchema(db)))
    throw configInvalid('The two servers have other schemas: bring both to one release and run `migrate` on both.')
  if (!parentIds.includes(parentId))
    throw configInvalid(
      `No project of LATCHKEY_PROJECTS_FILE has the organizationId ${parentId}: add the project first.`,
    )
  if (closedAt === null && !isRehearsal)
    throw configInvalid('The accounts are still in use on the other server: give --rehearsal, or export with --close.')
  await assertUnused(db, parentId)
  const columns = new Map<MovedName, string[]>()
  for (const name of movedNames) columns.set(name, await listColumns(db, name))
  const arrived: Arrived = { organizations: new Set(), activities: new Set() }
  let rows = 0
  for (;;) {
    const message = messageSchema.safeParse(await readMessage(messages)).data
    if (!message) throw incomplete()
    if ('end' in message) {
      if (message.rows !== rows || (await messages.next()).done !== true) throw incomplete()
      return { parentId, accounts: message.accounts, rows, entries: await prove(db, keys.macKey) }
    }
    for (const row of decodeRows(message.rows)) {
      assertOwn(message.table, row, parentId, arrived)
      await insertRow(db, message.table, columns.get(message.table) ?? [], await unpackRow(message.table, row, keys))
      rows++
    }
  }
}

type Arrived = { organizations: Set<unknown>; activities: Set<unknown> }

/** Checks that a row belongs to this project, since every imported row gets a valid MAC of this server. */
function assertOwn(table: MovedName, row: Row, parentId: string, arrived: Arrived): void {
  if (table === 'organizations') {
    if (row.parent_id !== parentId || row.id === parentId) throw incomplete()
    arrived.organizations.add(row.id)
  } else if (table === 'activity_votes') {
    if (!arrived.activities.has(row.activity_id)) throw incomplete()
  } else if (!arrived.organizations.has(row.org_id) && !(getMovedTable(table).isOfParent && row.org_id === parentId))
    throw incomplete()
  if (table === 'users' && row.parent_org_id !== parentId) throw incomplete()
  if (table === 'activities') arrived.activities.add(row.id)
}

async function assertUnused(db: Db, parentId: string): Promise<void> {
  const parent = await db.selectFrom('organizations').select('id').where('id', '=', parentId).executeTakeFirst()
  if (!parent)
    throw configInvalid(`Custody has not run with the project yet: start it once, so that ${parentId} is there.`)
  const account = await db.selectFrom('organizations').select('id').where('parent_id', '=', parentId).executeTakeFirst()
  const entry = await db.selectFrom('activity_log').select('seq').where('org_id', '=', parentId).executeTakeFirst()
  if (account || entry) throw configInvalid(`The project's organization ${parentId} is in use on this server already.`)
  await db.deleteFrom('activity_log_heads').where('org_id', '=', parentId).execute()
}

async function prove(db: Db, macKey: Uint8Array): Promise<number> {
  const { entries, bad } = await verifyLog(db, macKey)
  if (!bad) return entries
  throw configInvalid(
    `The log of activities is not whole: organization ${bad.organizationId}. ${bad.problem} Nothing was moved.`,
  )
}

async function readMessage(messages: AsyncIterator<Uint8Array>): Promise<unknown> {
  const { value, done } = await messages.next()
  if (done) return undefined
  return JSON.parse(Buffer.from(value).toString())
}

const incomplete = () => configInvalid('The file was cut off or put together from others. Nothing was moved.')
