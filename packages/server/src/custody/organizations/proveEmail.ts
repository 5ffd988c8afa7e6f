import { inTransaction } from '../../store/inTransaction.ts'
import type { Db } from '../../store/openStore.ts'
import type { Caller } from '../credentials/findCaller.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import { isGenuineUser } from './findUser.ts'
import { writeEmail } from './writeEmail.ts'

type Context = Pick<CustodyContext, 'macKey' | 'logger' | 'now'>

/** Takes a user's address as proven once they use a session key that only a mail to it held. */
export async function proveEmail(
  context: Context,
  db: Db,
  caller: Pick<Caller, 'userId' | 'credentialId' | 'emailSession'>,
): Promise<void> {
  if (!caller.emailSession) return
  if (!db.isTransaction) return inTransaction(db, (inner) => proveEmail(context, inner, caller))
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', caller.userId)
    .where('email', 'is not', null)
    .where('email_verified_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!user || !isGenuineUser(context, user)) return
  // The address may have changed since the stamp was looked at; then this key speaks for it no more.
  const key = await db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', caller.credentialId)
    .where('email_session', '=', true)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!key || !isGenuine(context.macKey, 'credentials', key)) return
  const email_verified_at = new Date(context.now())
  await writeEmail(context, db, { user, email: user.email, email_verified_at, email_claimed: false })
}
