import type { Caller } from '../../credentials/findCaller.ts'
import type { CustodyContext } from '../../deps.ts'

/** A mail whose link was opened waits no more: its code is over, and `endOldMails` leaves its session alone. */
export async function closeMail(
  { db, now }: Pick<CustodyContext, 'db' | 'now'>,
  { userId, credentialId, emailSession }: Pick<Caller, 'userId' | 'credentialId' | 'emailSession'>,
): Promise<void> {
  if (!emailSession) return
  await db
    .updateTable('mail_codes')
    .set({ spent_at: new Date(now()) })
    .where('user_id', '=', userId)
    .where('credential_id', '=', credentialId)
    .where('spent_at', 'is', null)
    .execute()
}
