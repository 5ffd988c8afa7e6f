import type { KeyEncryption } from '../keys/keyEncryption.ts'
import type { Db } from '../platform/database/openStore.ts'
import { secretAad } from './wallets/sealSecret.ts'

const batchSize = 100
const tables = ['wallets', 'wallet_accounts', 'private_keys', 'import_targets', 'multi_factors'] as const

export declare namespace rotateKeys {
  type Options = {
    /** Called after each batch. */
    onProgress?: ((progress: { table: string; looked: number; rewrapped: number }) => void) | undefined
  }
  type ReturnType = { looked: number; rewrapped: number }
}

/**
 * Rewraps every stored data key with the current key-encryption key, row by row. The server keeps running, and the
 * rotation can be stopped and restarted at any time. Skips rows already wrapped by the current key. Does not change
 * data keys, the secrets they seal, or their binding to rows.
 */
export async function rotateKeys(
  db: Db,
  keyEncryption: KeyEncryption,
  { onProgress }: rotateKeys.Options = {},
): Promise<rotateKeys.ReturnType> {
  const total = { looked: 0, rewrapped: 0 }
  for (const row of await db.selectFrom('key_material').select(['name', 'wrapped']).execute()) {
    const wrapped = await rewrap(keyEncryption, row.wrapped, new TextEncoder().encode(row.name))
    total.looked++
    if (!wrapped) continue
    await db.updateTable('key_material').set({ wrapped }).where('name', '=', row.name).execute()
    total.rewrapped++
  }
  onProgress?.({ table: 'key_material', ...total })
  for (const table of tables) {
    for (let after: string | undefined; ; ) {
      const batch = await rotateBatch(db, keyEncryption, { table, after })
      total.looked += batch.looked
      total.rewrapped += batch.rewrapped
      if (batch.looked > 0) onProgress?.({ table, ...total })
      after = batch.last
      if (batch.looked < batchSize) break
    }
  }
  return total
}

async function rotateBatch(
  db: Db,
  keyEncryption: KeyEncryption,
  { table, after }: { table: (typeof tables)[number]; after: string | undefined },
): Promise<{ looked: number; rewrapped: number; last: string | undefined }> {
  const rows = await db
    .selectFrom(table)
    .select(['id', 'org_id', 'wrapped_key', 'key_version'])
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(batchSize)
    .execute()
  let rewrapped = 0
  for (const row of rows) {
    const aad = secretAad({ table, orgId: row.org_id, id: row.id, version: row.key_version })
    const wrapped = await rewrap(keyEncryption, row.wrapped_key, aad)
    if (!wrapped) continue
    // Updates the row only if it still has the value that was read. Otherwise it changed since, and is already under
    // the current key.
    await db
      .updateTable(table)
      .set({ wrapped_key: wrapped })
      .where('id', '=', row.id)
      .where('wrapped_key', '=', row.wrapped_key)
      .execute()
    rewrapped++
  }
  return { looked: rows.length, rewrapped, last: rows.at(-1)?.id }
}

/** Returns undefined for a data key already wrapped by the current key. */
async function rewrap(
  keyEncryption: KeyEncryption,
  wrapped: Uint8Array,
  aad: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (await keyEncryption.isCurrent(wrapped)) return undefined
  const dek = await keyEncryption.unwrap(wrapped, aad)
  try {
    return await keyEncryption.wrap(dek, aad)
  } finally {
    dek.fill(0)
  }
}
