import { randomBytes } from 'node:crypto'
import type { KeyEncryption } from '../keys/keyEncryption.ts'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'

const name = 'credential-mac'
const aad = new TextEncoder().encode(name)

/**
 * Returns the 32-byte key that authenticates rows, creating it on first use. Callers hold a lock, so that only one key
 * is created.
 */
export async function ensureMacKey(db: Db, keyEncryption: KeyEncryption): Promise<Uint8Array> {
  const row = await db.selectFrom('key_material').select('wrapped').where('name', '=', name).executeTakeFirst()
  if (row) return keyEncryption.unwrap(row.wrapped, aad)
  const macKey = new Uint8Array(randomBytes(32))
  await db
    .insertInto('key_material')
    .values({ name, wrapped: await keyEncryption.wrap(macKey, aad) })
    .execute()
  return macKey
}

/**
 * Returns the key that authenticates rows, for tools.
 *
 * @throws `NOT_FOUND` when custody has never run on this database.
 */
export async function readMacKey(db: Db, keyEncryption: KeyEncryption): Promise<Uint8Array> {
  const row = await db.selectFrom('key_material').select('wrapped').where('name', '=', name).executeTakeFirst()
  if (row) return keyEncryption.unwrap(row.wrapped, aad)
  throw new ServerError('Custody has never run on this database.', { code: 'NOT_FOUND', status: 404 })
}
