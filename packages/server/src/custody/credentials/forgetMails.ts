import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine, mac as rowMac } from '../macs.ts'
import { revokeCredentials } from './revokeCredentials.ts'

/**
 * Ends what was mailed to an address that is a user's no more: session keys and codes. The session that asks goes on, but
 * no longer as one that proves an address. The caller holds the lock on the user's row.
 */
export async function forgetMails(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { userId, keep }: forgetMails.Parameters,
): Promise<void> {
  const mailed = await db
    .selectFrom('credentials')
    .selectAll()
    .where('user_id', '=', userId)
    .where('email_session', '=', true)
    .forUpdate()
    .execute()
  await revokeCredentials(context, db, { userId, ids: mailed.map(({ id }) => id).filter((id) => id !== keep) })
  await db.deleteFrom('mail_codes').where('user_id', '=', userId).execute()
  const kept = mailed.find(({ id }) => id === keep)
  if (!kept || !isGenuine(context.macKey, 'credentials', kept)) return
  const mac = rowMac(context.macKey, 'credentials', { ...kept, email_session: false })
  await db.updateTable('credentials').set({ email_session: false, mac }).where('id', '=', kept.id).execute()
}

export declare namespace forgetMails {
  type Parameters = {
    userId: string
    /** Id of the session that asks. */
    keep?: string | undefined
  }
}
