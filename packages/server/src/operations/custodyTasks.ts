import { custodyKeyEncryption } from '../app/custodyKeyEncryption.ts'
import type { CustodyOptions } from '../app/options.ts'
import { listHeads, type NotedHead, parseHeads } from '../custody/audit/heads.ts'
import { verifyLog } from '../custody/audit/verifyLog.ts'
import { readMacKey } from '../custody/macKey.ts'
import { rotateKeys } from '../custody/rotateKeys.ts'
import type { KeyEncryption } from '../keys/keyEncryption.ts'
import { type Db, openStore } from '../platform/database/openStore.ts'

/** The timeout is long, since these tasks read whole tables. */
const timeoutMs = 600_000

/** Database and key encryption of a task. */
export type CustodyTask = {
  databaseUrl: string
  custody: Pick<CustodyOptions, 'keyEncryption' | 'previousKeyEncryption' | 'mode'>
}

export declare namespace auditLog {
  type Options = {
    /** Earlier output of `listLogHeads`, one JSON object per line, which the chains must still contain. */
    heads?: string | undefined
  }
}

/**
 * Verifies the activity log of a running server.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`, `INTERNAL`.
 */
export function auditLog(options: CustodyTask, { heads }: auditLog.Options = {}): Promise<verifyLog.ReturnType> {
  return withCustody(options, async (db, keyEncryption) => {
    const macKey = await readMacKey(db, keyEncryption)
    return verifyLog(db, macKey, { heads: heads === undefined ? undefined : parseHeads(heads, macKey) })
  })
}

/**
 * Lists the heads of all chains of a server's log, to be stored outside its database.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`, `INTERNAL`.
 */
export function listLogHeads(options: CustodyTask, onHead: (head: NotedHead) => void): Promise<void> {
  return withCustody(options, async (db, keyEncryption) => {
    for await (const head of listHeads(db, await readMacKey(db, keyEncryption))) onHead(head)
  })
}

/**
 * Re-wraps the stored keys of a running server under its current key-encryption key.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`, `INTERNAL`.
 */
export function rewrapKeys(options: CustodyTask, settings: rotateKeys.Options = {}): Promise<rotateKeys.ReturnType> {
  return withCustody(options, (db, keyEncryption) => rotateKeys(db, keyEncryption, settings))
}

/**
 * Opens one stored key to check the key encryption. `NOT_FOUND`: custody has never run on the database.
 *
 * @throws `CONFIG_INVALID`, `DATABASE_UNREACHABLE`, `KEY_SERVICE_FAILED`, `NOT_FOUND`, `INTERNAL`.
 */
export function openStoredKey(options: CustodyTask): Promise<void> {
  return withCustody(options, async (db, keyEncryption) => void (await readMacKey(db, keyEncryption)).fill(0))
}

async function withCustody<result>(
  { databaseUrl, custody }: CustodyTask,
  use: (db: Db, keyEncryption: KeyEncryption) => Promise<result>,
): Promise<result> {
  const store = await openStore({ databaseUrl, maxConnections: 2, timeoutMs })
  try {
    return await use(store.db, custodyKeyEncryption(custody))
  } finally {
    await store.close()
  }
}
