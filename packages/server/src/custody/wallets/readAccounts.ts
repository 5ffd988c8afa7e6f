import type { Selectable } from 'kysely'
import type { WalletAccountTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'

type Account = Selectable<WalletAccountTable>

/** The accounts of an organization that custody wrote, oldest first; forged ones are logged. */
export async function readAccounts(
  { db, macKey, logger }: Pick<CustodyContext, 'db' | 'macKey' | 'logger'>,
  orgId: string,
): Promise<Account[]> {
  const rows = await db
    .selectFrom('wallet_accounts')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('wallet_id')
    .orderBy('path')
    .execute()
  return rows.filter((row) => {
    if (isGenuine(macKey, 'wallet_accounts', row)) return true
    logger.error({ accountId: row.id }, 'An account was not written by custody and is ignored')
    return false
  })
}
