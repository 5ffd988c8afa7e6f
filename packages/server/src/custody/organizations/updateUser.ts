import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { findUser } from './findUser.ts'
import { emailTaken, releaseEmail } from './releaseEmail.ts'
import { writeEmail } from './writeEmail.ts'

/**
 * Changes name or e-mail of a user; `email: null` removes it. A new address is a claim until a mail to it has been used.
 *
 * @throws ServerError `NOT_FOUND` (404) | `INVALID_EMAIL` (400) when another user within the parent has proven the address
 */
export async function updateUser(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'now'>,
  db: Db,
  parameters: updateUser.Parameters,
): Promise<void> {
  const { orgId, userId, name } = parameters
  const user = await findUser(context, db, { orgId, userId })
  if (name !== undefined) await db.updateTable('users').set({ name }).where('id', '=', userId).execute()
  const { email } = parameters
  if (email === undefined || email === user.email) return
  if (email !== null) await releaseEmail(context, db, { parentOrgId: user.parent_org_id, email, except: userId })
  try {
    await writeEmail(context, db, { user, email, email_verified_at: null, email_claimed: email !== null })
  } catch (error) {
    // SQLSTATE 23505: somebody else named it at the same moment.
    throw (error as { code?: unknown } | null)?.code === '23505' ? emailTaken() : error
  }
}

export declare namespace updateUser {
  type Parameters = { orgId: string; userId: string; name?: string | undefined; email?: string | null | undefined }
}
