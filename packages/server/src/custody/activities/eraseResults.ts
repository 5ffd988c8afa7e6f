import type { Db } from '../../store/openStore.ts'

/**
 * Erases the results whose time is over: bundles that hold a secret. They are kept only as long as the request can be
 * repeated or its answer be asked for again; a copy of the database then holds none of them.
 */
export async function eraseResults(db: Db, now: Date): Promise<void> {
  await db
    .updateTable('activities')
    .set({ result: '{}', result_expires_at: null })
    .where('result_expires_at', '<=', now)
    .execute()
}
