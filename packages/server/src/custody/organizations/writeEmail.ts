import type { Selectable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import type { UserTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { type Covered, mac } from '../macs.ts'

/** Writes a user's address, and how far it is theirs, under custody's MAC. The caller has seen that the row is genuine. */
export async function writeEmail(
  { macKey }: Pick<CustodyContext, 'macKey'>,
  db: Db,
  { user, ...email }: writeEmail.Parameters,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ ...email, mac: mac(macKey, 'users', { ...user, ...email }) })
    .where('id', '=', user.id)
    .execute()
}

export declare namespace writeEmail {
  type Parameters = Pick<Covered<'users'>, 'email' | 'email_verified_at' | 'email_claimed'> & {
    user: Selectable<UserTable>
  }
}
