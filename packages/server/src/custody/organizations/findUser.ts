import type { Selectable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import type { UserTable } from '../../store/tables.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'

type Context = Pick<CustodyContext, 'macKey' | 'logger'>
type User = Selectable<UserTable>

/**
 * A user of an organization as custody wrote them.
 *
 * @throws ServerError `NOT_FOUND` (404)
 */
export async function findUser(context: Context, db: Db, parameters: findUser.Parameters): Promise<User> {
  const { orgId, userId } = parameters
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  if (row && isGenuineUser(context, row)) return row
  throw custodyError('NOT_FOUND', 'No user with this id in this organization.')
}

export declare namespace findUser {
  type Parameters = { orgId: string; userId: string }
}

/** Whether custody wrote the user's row; a forged one is logged. Ask before anything is sent to a stored address. */
export function isGenuineUser(context: Context, row: User): boolean {
  if (isGenuine(context.macKey, 'users', row)) return true
  context.logger.error({ userId: row.id }, 'A user was not written by custody and is ignored')
  return false
}
