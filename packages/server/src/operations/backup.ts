import { open, rename, rm } from 'node:fs/promises'
import { openStore, type Store } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { sealMessages } from './backupSeal.ts'
import { copyTarget, listBackupTables, listMigrations } from './backupTables.ts'
import { copyOut } from './copyTable.ts'

/** Whole databases are read in one statement a table. */
export const backupTimeoutMs = 6 * 3_600_000

/** First byte of a message: what the rest is. */
export const messageTypes = { head: 1, table: 2, rows: 3, end: 4 } as const

export declare namespace backup {
  type Options = {
    /** `postgres://…` of the owner of the tables. */
    databaseUrl: string
    /** P-256 point in hex, to which the file is sealed. */
    publicKey: string
    /** A file that does not exist. */
    path: string
  }
  type ReturnType = { path: string; tables: number; bytes: number }
}

/**
 * Writes the database to a file sealed to the operator's key, as of one moment, while the servers run. The file appears when it
 * is complete. It holds what the database holds: wallets wrapped by the key-encryption key, which it does not hold.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`.
 */
export async function backup({ databaseUrl, publicKey, path }: backup.Options): Promise<backup.ReturnType> {
  const store = await openStore({ databaseUrl, maxConnections: 1, timeoutMs: backupTimeoutMs })
  const draft = `${path}.part`
  try {
    const taken = await open(path, 'r').catch(() => undefined)
    await taken?.close()
    if (taken) throw configInvalid(`The file ${path} exists: name a new one.`)
    const file = await open(draft, 'wx', 0o600).catch((cause: unknown) => {
      throw configInvalid(`The file ${draft} cannot be made, or is that of another run.`, cause)
    })
    try {
      const counts = { tables: 0, bytes: 0 }
      for await (const part of sealMessages(publicKey, readDatabase(store, counts))) {
        await file.writeFile(part)
        counts.bytes += part.length
      }
      await file.sync()
      await file.close()
      await rename(draft, path)
      return { path, ...counts }
    } catch (error) {
      await file.close().catch(() => undefined)
      await rm(draft, { force: true })
      throw error
    }
  } finally {
    await store.close()
  }
}

async function* readDatabase({ pool }: Store, counts: { tables: number }): AsyncGenerator<Uint8Array, void> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read, read only')
    await client.query("set local idle_in_transaction_session_timeout = '10min'")
    const tables = await listBackupTables(client)
    yield toMessage('head', { version: 1, migrations: await listMigrations(client), tables })
    for (const table of tables) {
      yield toMessage('table', table)
      for await (const rows of copyOut(client, `copy ${copyTarget(table)} to stdout`))
        yield Uint8Array.from(Buffer.concat([Uint8Array.of(messageTypes.rows), rows]))
      counts.tables++
    }
    yield toMessage('end', {})
  } finally {
    // Ends the snapshot, also where the reader stopped in the middle of a table.
    client.release(true)
  }
}

function toMessage(type: keyof typeof messageTypes, content: object): Uint8Array {
  return Uint8Array.from(Buffer.concat([Uint8Array.of(messageTypes[type]), Buffer.from(JSON.stringify(content))]))
}
