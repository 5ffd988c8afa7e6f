import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { findUser } from './findUser.ts'
import { userMac } from './userMac.ts'

/**
 * Changes name or e-mail of a user; `email: null` removes it. A new address has not been proven yet.
 *
 * @throws ServerError `NOT_FOUND` (404) | `INVALID_EMAIL` (400) when another user within the parent has the address
 */
export async function updateUser(
  context: Pick<CustodyContext, 'macKey' | 'logger'>,
  db: Db,
  parameters: updateUser.Parameters,
): Promise<void> {
  const { orgId, userId, name } = parameters
  const user = await findUser(context, db, { orgId, userId })
  if (name !== undefined) await db.updateTable('users').set({ name }).where('id', '=', userId).execute()
  const { email } = parameters
  if (email === undefined || email === user.email) return
  const taken = await db
    .selectFrom('users')
    .select('id')
    .where('parent_org_id', '=', user.parent_org_id)
    .where((expression) => expression(expression.fn('lower', ['email']), '=', email?.toLowerCase() ?? ''))
    .where('id', '!=', userId)
    .executeTakeFirst()
  if (taken) throw custodyError('INVALID_EMAIL', 'Another user has this e-mail address already. Use another one.')
  const mac = userMac(context.macKey, { ...user, email })
  await db.updateTable('users').set({ email, email_verified_at: null, mac }).where('id', '=', userId).execute()
}

export declare namespace updateUser {
  type Parameters = { orgId: string; userId: string; name?: string | undefined; email?: string | null | undefined }
}
