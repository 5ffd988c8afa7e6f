import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'

/**
 * After credentials or an address were taken from a user: they must keep a way in, which is a passkey, an API key without
 * an end, or an e-mail address that a sign-in link can go to. A session is none, since it ends.
 *
 * @throws ServerError `REQUEST_INVALID` (400)
 */
export async function assertWayIn(db: Db, userId: string): Promise<void> {
  // Concurrent removals count each other.
  const user = await db.selectFrom('users').select('email').where('id', '=', userId).forUpdate().executeTakeFirst()
  if (user?.email) return
  const held = await db
    .selectFrom('credentials')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', 'is', null)
    .executeTakeFirst()
  if (held) return
  throw custodyError(
    'REQUEST_INVALID',
    'This would leave the user without a way to sign in. Add a passkey or an e-mail address first.',
  )
}
