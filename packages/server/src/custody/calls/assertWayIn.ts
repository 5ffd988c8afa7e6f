import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'

/**
 * After credentials or an address were taken from a user: they must keep a way in, which is a passkey, an API key without
 * an end, or an e-mail address. A session is none, since it ends; nor is an address that they named themselves and have
 * not proven, since it may be somebody else's.
 *
 * @throws ServerError `REQUEST_INVALID` (400)
 */
export async function assertWayIn(db: Db, userId: string): Promise<void> {
  // Concurrent removals count each other.
  const user = await db
    .selectFrom('users')
    .select(['email', 'email_claimed'])
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (user?.email && !user.email_claimed) return
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
    'This would leave the user without a way to sign in. Add a passkey first, or sign in by a mail to the new address.',
  )
}
