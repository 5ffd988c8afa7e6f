import type { Db } from '../../store/openStore.ts'

/** Most expiring API keys a user may hold. */
export const maxExpiringKeys = 10

/**
 * Deletes expiring keys of a user until one more fits: those past their end first, then the oldest (custody protocol
 * § 2.7). Locks the user's row, so that concurrent log-ins count each other. `all` ends every session of the user.
 */
export async function makeRoomForSessionKey(db: Db, parameters: makeRoomForSessionKey.Parameters): Promise<void> {
  const { userId, now, all = false } = parameters
  await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  const keys = await db
    .selectFrom('credentials')
    .select(['id', 'expires_at', 'revoked_at'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'api_key')
    .where('expires_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  const alive = keys.filter((key) => key.revoked_at === null && key.expires_at !== null && key.expires_at > now)
  const kept = new Set(all ? [] : alive.slice(0, maxExpiringKeys - 1).map((key) => key.id))
  const surplus = keys.filter((key) => !kept.has(key.id)).map((key) => key.id)
  if (surplus.length > 0) await db.deleteFrom('credentials').where('id', 'in', surplus).execute()
}

export declare namespace makeRoomForSessionKey {
  type Parameters = { userId: string; now: Date; all?: boolean | undefined }
}
