import { sql } from 'kysely'
import type { Db } from '../../platform/database/openStore.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { isGenuine, mac } from '../macs.ts'
import { movedNames } from './movedTables.ts'

/**
 * Disables a project's accounts on this server. Unlike a deletion, this cannot be cancelled by users and does not
 * destroy keys. Waits for running work, so that nothing is added afterwards. Returns the number of closed accounts.
 */
export async function closeProject(db: Db, macKey: Uint8Array, { parentId, at }: Closing): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await sql.raw(`lock table ${movedNames.join(', ')} in share row exclusive mode`).execute(trx)
    const rows = await trx
      .selectFrom('organizations')
      .selectAll()
      .where('parent_id', '=', parentId)
      .where('deleted_at', 'is', null)
      .execute()
    for (const row of rows) {
      if (!isGenuine(macKey, 'organizations', row))
        throw configInvalid(`The organization ${row.id} was not written by custody. Nothing was moved.`)
      await writeClosed(trx, macKey, row, at)
    }
    return rows.length
  })
}

type Closing = { parentId: string; at: Date }

/** Reverts {@link closeProject}. Returns the number of reopened accounts. */
export async function reopenProject(db: Db, macKey: Uint8Array, { parentId, at }: Closing): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('organizations')
      .selectAll()
      .where('parent_id', '=', parentId)
      .where('deleted_at', '=', at)
      .where('destroyed_at', '=', at)
      .forUpdate()
      .execute()
    const genuine = rows.filter((row) => isGenuine(macKey, 'organizations', row))
    for (const row of genuine) await writeClosed(trx, macKey, row, null)
    return genuine.length
  })
}

type Organization = Parameters<typeof mac<'organizations'>>[2] & { id: string }

async function writeClosed(db: Db, macKey: Uint8Array, row: Organization, at: Date | null): Promise<void> {
  await db
    .updateTable('organizations')
    // With `destroyed_at` set, the purge does not destroy the keys, and no e-mail link can undo the closure.
    .set({ deleted_at: at, destroyed_at: at, mac: mac(macKey, 'organizations', { ...row, deleted_at: at }) })
    .where('id', '=', row.id)
    .execute()
}
