import { randomUUID } from 'node:crypto'
import type { Db } from '../../store/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { mac } from '../macs.ts'
import { emailTaken, releaseEmail } from './releaseEmail.ts'

/**
 * Writes a user under custody's MAC and answers their id. An e-mail can be used once within a parent; what somebody else
 * only claims gives way.
 *
 * @throws ServerError `INVALID_EMAIL` (400)
 */
export async function insertUser(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'now'>,
  db: Db,
  parameters: insertUser.Parameters,
): Promise<string> {
  const { orgId, parentOrgId, name, email = null } = parameters
  if (email !== null) await releaseEmail(context, db, { parentOrgId, email })
  const unproven = { email, email_verified_at: null, email_claimed: false }
  const row = { id: randomUUID(), org_id: orgId, parent_org_id: parentOrgId, ...unproven }
  const inserted = await db
    .insertInto('users')
    .values({ ...row, name, mac: mac(context.macKey, 'users', row) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return inserted.id
  throw emailTaken()
}

export declare namespace insertUser {
  type Parameters = {
    orgId: string
    /** Null for the user of a parent organization. */
    parentOrgId: string | null
    name: string
    email?: string | null | undefined
  }
}
