import { randomUUID } from 'node:crypto'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { userMac } from './userMac.ts'

/**
 * Writes a user under custody's MAC and answers their id. An e-mail can be used once within a parent.
 *
 * @throws ServerError `INVALID_EMAIL` (400)
 */
export async function insertUser(
  context: Pick<CustodyContext, 'macKey'>,
  db: Db,
  parameters: insertUser.Parameters,
): Promise<string> {
  const { orgId, parentOrgId, name, email = null } = parameters
  const row = { id: randomUUID(), org_id: orgId, parent_org_id: parentOrgId, email }
  const inserted = await db
    .insertInto('users')
    .values({ ...row, name, mac: userMac(context.macKey, row) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return inserted.id
  throw custodyError('INVALID_EMAIL', 'A sub-organization with this e-mail address exists already. Use that one.')
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
