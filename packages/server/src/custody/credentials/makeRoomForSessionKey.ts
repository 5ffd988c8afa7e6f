import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { votingMs } from '../limits.ts'
import { revokeCredentials } from './revokeCredentials.ts'

/** Most expiring API keys a user may hold. */
const maxExpiringKeys = 10

/**
 * Revokes expiring keys of a user until one more fits, the oldest first, and deletes those past their end (custody
 * protocol § 2.7), but for those of activities that wait for votes. Locks the user's row, so that concurrent log-ins count
 * each other. `all` ends every session.
 */
export async function makeRoomForSessionKey(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: makeRoomForSessionKey.Parameters,
): Promise<void> {
  const { userId, all = false } = parameters
  const now = new Date(context.now())
  await db.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute()
  // Their end is under the MAC, so a copy of a deleted row is of no use.
  await db
    .deleteFrom('credentials')
    .where('user_id', '=', userId)
    .where('expires_at', '<=', now)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('activities')
            .select('activities.id')
            .whereRef('activities.org_id', '=', 'credentials.org_id')
            .whereRef('activities.credential_id', '=', 'credentials.id')
            .where('activities.status', '=', 'ACTIVITY_STATUS_CONSENSUS_NEEDED')
            .where('activities.created_at', '>=', new Date(now.getTime() - votingMs)),
        ),
      ),
    )
    .execute()
  const alive = await db
    .selectFrom('credentials')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', 'api_key')
    .where('expires_at', '>', now)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  const surplus = alive.slice(all ? 0 : maxExpiringKeys - 1).map((key) => key.id)
  await revokeCredentials(context, db, { userId, ids: surplus })
}

export declare namespace makeRoomForSessionKey {
  type Parameters = { userId: string; all?: boolean | undefined }
}
