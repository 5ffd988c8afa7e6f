import { sql } from 'kysely'
import type { Db } from '../../../store/openStore.ts'
import { revokeCredentials } from '../../credentials/revokeCredentials.ts'
import type { CustodyContext } from '../../deps.ts'

const maxOpen = 3

/**
 * Ends the oldest sign-in mails of a user that nobody has used, with their links and codes, until one more fits. Who knows
 * no more than an address can take these places only: the sessions of its owner stay. The caller holds the lock on the
 * user's row.
 */
export async function endOldMails(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { userId }: { userId: string },
): Promise<void> {
  const old = await db
    .selectFrom('mail_codes')
    .select(['id', 'credential_id'])
    .where('user_id', '=', userId)
    .where('spent_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .offset(maxOpen - 1)
    // A link that is being opened right now is waited for, and then stays.
    .forUpdate()
    .execute()
  await revokeCredentials(context, db, { userId, ids: old.flatMap(({ credential_id }) => credential_id ?? []) })
  const ids = old.map(({ id }) => id)
  await db
    .deleteFrom('mail_codes')
    .where('user_id', '=', userId)
    .where((where) => where.or([where('spent_at', 'is not', null), where('id', '=', sql<string>`any(${ids}::uuid[])`)]))
    .execute()
}
