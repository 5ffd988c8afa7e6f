import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { getAddress, isAddress } from 'viem'
import { z } from 'zod'
import { custodyKeyEncryption } from '../app/custodyKeyEncryption.ts'
import { readMacKey } from '../custody/macKey.ts'
import { closeProject, reopenProject } from '../custody/moving/closeProject.ts'
import type { Keys } from '../custody/moving/movedTables.ts'
import { readMoves } from '../custody/moving/readMoves.ts'
import { readProject } from '../custody/moving/readProject.ts'
import { writeProject } from '../custody/moving/writeProject.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { type Db, openStore } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import type { CustodyTask } from './custodyTasks.ts'
import { openMessages, sealMessages } from './sealMessages.ts'

/** Whole projects are read in one snapshot and written in one transaction. */
const timeoutMs = 3_600_000
const ticketAad = new TextEncoder().encode('latchkey project ticket')
const ticketSchema = z.strictObject({
  publicKey: z.string().regex(/^[0-9a-f]{66}$/),
  wrapped: z.string().regex(/^[0-9a-f]+$/),
})

/**
 * Creates a ticket: a public key to which a project is sealed, with its private half wrapped by the receiving server's
 * key-encryption key. The file contains no plain secret. Send its fingerprint to the other operator through another
 * channel.
 * @throws `CONFIG_INVALID`, `KEY_SERVICE_FAILED`.
 */
export async function makeTicket({ custody, path }: Pick<CustodyTask, 'custody'> & { path: string }) {
  const { publicKey, privateKey } = createApiKeyPair()
  const wrapped = await custodyKeyEncryption(custody).wrap(new Uint8Array(Buffer.from(privateKey, 'hex')), ticketAad)
  const ticket = { publicKey, wrapped: Buffer.from(wrapped).toString('hex') }
  await writeFile(path, `${JSON.stringify(ticket)}\n`, { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
    throw configInvalid(`${path} cannot be made: name a file that is not there yet.`, cause)
  })
  return { path, fingerprint: toFingerprint(publicKey) }
}

export declare namespace exportProject {
  type Options = CustodyTask & {
    parentId: string
    ticketPath: string
    /** Fingerprint that `makeTicket` showed to the other server's operator. */
    fingerprint: string
    path: string
    /** Whether to close the accounts on this server. If false, the file is a rehearsal. */
    close: boolean
  }
  type ReturnType = { path: string; sha256: string; closedAt: string | null; accounts: number }
}

/**
 * Writes a snapshot of a project's users to a file sealed to a ticket. With `close`, closes the accounts on this server
 * before the snapshot; they reopen if the file cannot be written. @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`,
 * `KEY_SERVICE_FAILED`, `NOT_FOUND`.
 */
export async function exportProject(options: exportProject.Options): Promise<exportProject.ReturnType> {
  const { parentId, path } = options
  const { publicKey } = await readTicket(options.ticketPath)
  if (toFingerprint(publicKey) !== options.fingerprint)
    throw configInvalid('The ticket has another fingerprint: it is not the one that the other server made.')
  return withKeys(options, async (db, keys) => {
    const at = options.close ? await readTime(db) : undefined
    const accounts = at ? await closeProject(db, keys.macKey, { parentId, at }) : 0
    try {
      const sha256 = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((snapshot) =>
          writeSealed(path, sealMessages(publicKey, readProject(snapshot, keys, { parentId, closedAt: at }))),
        )
      return { path, sha256, closedAt: at?.toISOString() ?? null, accounts }
    } catch (error) {
      if (at) await reopenProject(db, keys.macKey, { parentId, at })
      throw error
    }
  })
}

async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select latchkey_now() as now`.execute(db)
  const [row] = rows
  if (row) return row.now
  throw configInvalid('The database has no clock.')
}

async function writeSealed(path: string, parts: AsyncIterable<Uint8Array>): Promise<string> {
  if (await stat(path).catch(() => undefined)) throw configInvalid(`The file ${path} exists: name a new one.`)
  const draft = `${path}.part`
  const file = await open(draft, 'wx', 0o600).catch((cause: unknown) => {
    throw configInvalid(`The file ${draft} cannot be made, or is that of another run.`, cause)
  })
  const hash = createHash('sha256')
  try {
    for await (const part of parts) {
      hash.update(part)
      await file.writeFile(part)
    }
    await file.sync()
    await file.close()
    await rename(draft, path)
    return hash.digest('hex')
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(draft, { force: true })
    throw error
  }
}

export declare namespace importProject {
  type Options = CustodyTask & {
    parentIds: readonly string[]
    ticketPath: string
    path: string
    /** Hash printed by the export. It is needed because anyone with the ticket can seal a file to it. */
    sha256: string
    isRehearsal: boolean
  }
}

/**
 * Imports an exported project under this server's keys, all or nothing, and verifies its log.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`.
 */
export async function importProject(options: importProject.Options): Promise<writeProject.ReturnType> {
  const { path, sha256 } = options
  if ((await hashFile(path)) !== sha256)
    throw configInvalid('The file has another hash than the one given: it is not the one that was exported.')
  const ticket = await readTicket(options.ticketPath)
  return withKeys(options, async (db, keys) => {
    const secret = await keys.keyEncryption.unwrap(new Uint8Array(Buffer.from(ticket.wrapped, 'hex')), ticketAad)
    const messages = openMessages(Buffer.from(secret).toString('hex'), createReadStream(path))
    secret.fill(0)
    return db.transaction().execute((trx) => writeProject(trx, keys, messages, options))
  })
}

/**
 * Reopens a project's accounts that an export closed on this server.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`.
 */
export function reopenMoved(options: CustodyTask & { parentId: string; at: Date }): Promise<number> {
  return withKeys(options, (db, { macKey }) => reopenProject(db, macKey, options))
}

export declare namespace reportMoves {
  type Options = CustodyTask & {
    parentId: string
    /** One address per line: the first address of each wallet at the other service. */
    listPath: string
  }
}

/**
 * Reports a snapshot of the users who moved their wallet from another service.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`.
 */
export async function reportMoves(options: reportMoves.Options): Promise<readMoves.ReturnType> {
  const { parentId, listPath } = options
  const text = await readFile(listPath, 'utf8').catch((cause: unknown) => {
    throw configInvalid(`The list ${listPath} cannot be read.`, cause)
  })
  const lines = text.split('\n').flatMap((line) => line.trim() || [])
  const wrong = lines.findIndex((line) => !isAddress(line, { strict: false }))
  if (wrong >= 0) throw configInvalid(`Entry ${wrong + 1} of ${listPath} is not an address: write one a line.`)
  const addresses = [...new Set(lines.map((line) => getAddress(line)))]
  return withKeys(options, (db, { macKey }) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((snapshot) => readMoves(snapshot, macKey, { parentId, addresses })),
  )
}

async function withKeys<result>({ databaseUrl, custody }: CustodyTask, use: (db: Db, keys: Keys) => Promise<result>) {
  const store = await openStore({ databaseUrl, maxConnections: 2, timeoutMs })
  try {
    const keyEncryption = custodyKeyEncryption(custody)
    const macKey = await readMacKey(store.db, keyEncryption)
    return await use(store.db, { macKey, keyEncryption }).finally(() => macKey.fill(0))
  } finally {
    await store.close()
  }
}

async function readTicket(path: string): Promise<z.output<typeof ticketSchema>> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw configInvalid(`The ticket ${path} cannot be read.`, cause)
  })
  try {
    return ticketSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw configInvalid(
      `${path} is no ticket: make one with \`latchkey-server move ticket\` on the other server.`,
      cause,
    )
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const part of createReadStream(path)) hash.update(part)
  } catch (cause) {
    throw configInvalid(`The file ${path} cannot be read.`, cause)
  }
  return hash.digest('hex')
}

const toFingerprint = (publicKey: string) => createHash('sha256').update(publicKey).digest('hex').slice(0, 32)
