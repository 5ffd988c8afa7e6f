import type { Db } from '../../store/openStore.ts'
import { revokeCredentials } from '../credentials/revokeCredentials.ts'
import type { CustodyContext } from '../deps.ts'
import { mac as rowMac } from '../macs.ts'
import { writeEmail } from './writeEmail.ts'

/**
 * Ends a sub-organization: its wallets are destroyed, its credentials revoked, its users' addresses erased. The row
 * and the activities stay, so that what was done can still be told.
 */
export async function deleteOrganization(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  { orgId }: deleteOrganization.Parameters,
): Promise<void> {
  const { macKey } = context
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', orgId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const deleted_at = new Date(context.now())
  const users = await db.selectFrom('users').selectAll().where('org_id', '=', orgId).execute()
  for (const user of users) {
    const held = await db.selectFrom('credentials').select('id').where('user_id', '=', user.id).execute()
    await revokeCredentials(context, db, { userId: user.id, ids: held.map(({ id }) => id) })
    await writeEmail(context, db, { user, email: null, email_verified_at: null, email_claimed: false })
  }
  await db.deleteFrom('wallets').where('org_id', '=', orgId).execute()
  const mac = rowMac(macKey, 'organizations', { ...row, deleted_at })
  await db.updateTable('organizations').set({ deleted_at, mac }).where('id', '=', orgId).execute()
}

export declare namespace deleteOrganization {
  type Parameters = { orgId: string }
}
