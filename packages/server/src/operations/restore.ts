import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { Kysely } from 'kysely'
import type pg from 'pg'
import { z } from 'zod'
import { custodyKeyEncryption } from '../app/custodyKeyEncryption.ts'
import { parseHeads } from '../custody/audit/heads.ts'
import { verifyLog } from '../custody/audit/verifyLog.ts'
import { readMacKey } from '../custody/macKey.ts'
import { migrate } from '../platform/database/migrate.ts'
import { createDialect } from '../platform/database/namedQuery.ts'
import { openStore } from '../platform/database/openStore.ts'
import type { Tables } from '../platform/database/tables.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { backupTimeoutMs, messageTypes } from './backup.ts'
import { openMessages } from './backupSeal.ts'
import { type BackupTable, backupTableSchema, copyTarget, listBackupTables, listMigrations } from './backupTables.ts'
import { copyIn } from './copyTable.ts'
import type { CustodyTask } from './custodyTasks.ts'

export declare namespace restore {
  type Options = CustodyTask & {
    path: string
    /** Private half of the key that `backup` sealed to, hex. */
    privateKey: string
    /** What `listLogHeads` listed until the backup; undefined only where the operator says so. */
    heads: string | undefined
  }
  type ReturnType = { tables: number; organizations: number; entries: number }
}

/**
 * Writes a backup into an empty database, in one transaction: not before the whole file was opened, custody's key opened
 * and the log of activities proved, with the heads that were kept apart, is anything there.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`, `INTERNAL`.
 */
export async function restore(options: restore.Options): Promise<restore.ReturnType> {
  const { databaseUrl, path, privateKey } = options
  const store = await openStore({ databaseUrl, maxConnections: 2, timeoutMs: backupTimeoutMs })
  const file = createReadStream(path, { highWaterMark: 2 ** 18 })
  try {
    const messages = openMessages(privateKey, readFile(file, path))
    const head = await readHead(messages)
    const client = await store.pool.connect()
    try {
      await assertEmpty(client)
      await migrate({ databaseUrl })
      await assertSameSchema(client, head)
      return await fill(client, { ...options, tables: head.tables, messages })
    } finally {
      client.release(true)
    }
  } finally {
    file.destroy()
    await store.close()
  }
}

async function* readFile(file: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* file
  } catch (cause) {
    throw configInvalid(`The backup ${path} cannot be read.`, cause)
  }
}

const headSchema = z.strictObject({
  version: z.literal(1),
  migrations: z.array(z.string()),
  tables: z.array(backupTableSchema),
})
type Head = z.output<typeof headSchema>
type Messages = AsyncGenerator<Uint8Array, void>

async function readHead(messages: Messages): Promise<Head> {
  const { value } = await messages.next()
  const parsed = value?.[0] === messageTypes.head ? headSchema.safeParse(toJson(value)) : undefined
  if (!parsed?.success) throw configInvalid('The backup is of a form that this release does not know.')
  return parsed.data
}

function toJson(message: Uint8Array): unknown {
  return JSON.parse(Buffer.from(message.subarray(1)).toString())
}

async function assertEmpty(client: pg.PoolClient): Promise<void> {
  for (const { name } of await listBackupTables(client)) {
    const { rowCount } = await client.query(`select from "${name}" limit 1`)
    if (rowCount) throw configInvalid(`The database is not empty: ${name} has rows. Give DATABASE_URL an empty one.`)
  }
}

async function assertSameSchema(client: pg.PoolClient, { migrations, tables }: Head): Promise<void> {
  const own = await listMigrations(client)
  if (isDeepStrictEqual([own, await listBackupTables(client)], [migrations, tables])) return
  throw configInvalid(
    `The backup has another schema (up to ${migrations.at(-1)}) than this release (up to ${own.at(-1)}): restore into an empty database with the release that made it, then upgrade.`,
  )
}

type Fill = restore.Options & { tables: readonly BackupTable[]; messages: Messages }

/** One connection for COPY and for the proof of the log, so that both are in the one transaction. */
async function fill(client: pg.PoolClient, options: Fill): Promise<restore.ReturnType> {
  const { tables, messages, custody } = options
  const single = { connect: async () => ({ query: client.query.bind(client), release: () => undefined }) }
  const db = new Kysely<Tables>({ dialect: createDialect(single as unknown as pg.Pool) })
  return db.transaction().execute(async (trx) => {
    await client.query("set local idle_in_transaction_session_timeout = '10min'")
    // Triggers that keep the log append-only, or note events, have done their work before the backup.
    for (const { name } of tables) await client.query(`alter table "${name}" disable trigger user`)
    await copyTables(client, tables, messages)
    for (const { name } of tables) await client.query(`alter table "${name}" enable trigger user`)
    await advanceSequences(client, tables)
    const macKey = await readMacKey(trx, custodyKeyEncryption(custody))
    const heads = options.heads === undefined ? undefined : parseHeads(options.heads, macKey)
    const { organizations, entries, bad } = await verifyLog(trx, macKey, { heads })
    if (bad)
      throw configInvalid(
        `The backup's log of activities is not what was done: organization ${bad.organizationId}. ${bad.problem} Nothing was restored.`,
      )
    return { tables: tables.length, organizations, entries }
  })
}

async function copyTables(client: pg.PoolClient, tables: readonly BackupTable[], messages: Messages): Promise<void> {
  let next = await messages.next()
  for (const table of tables) {
    if (next.done || next.value[0] !== messageTypes.table) throw incomplete()
    if (!isDeepStrictEqual(toJson(next.value), table)) throw incomplete()
    await copyIn(client, `copy ${copyTarget(table)} from stdin`, readRows())
  }
  if (next.done || next.value[0] !== messageTypes.end || !(await messages.next()).done) throw incomplete()

  async function* readRows(): AsyncGenerator<Uint8Array, void> {
    for (next = await messages.next(); !next.done && next.value[0] === messageTypes.rows; next = await messages.next())
      yield next.value.subarray(1)
  }
}

function incomplete(): Error {
  return configInvalid('The backup was cut off or put together from others. Nothing was restored.')
}

/** Numbers that PostgreSQL gives go on after those restored. */
async function advanceSequences(client: pg.PoolClient, tables: readonly BackupTable[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await client.query<{ column: string; sequence: string }>(
      `select a.attname as column, pg_get_serial_sequence(format('%I', $1::text), a.attname) as sequence
       from pg_attribute a where a.attrelid = format('%I', $1::text)::regclass and a.attnum > 0 and not a.attisdropped`,
      [name],
    )
    for (const { column, sequence } of rows)
      if (sequence)
        await client.query(`select setval($1, coalesce(max("${column}"), 0) + 1, false) from "${name}"`, [sequence])
  }
}
