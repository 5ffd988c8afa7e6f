import type { CustodyContext } from '../deps.ts'
import { toWallet, walletColumns } from './toWallet.ts'

/** The wallets of an organization, oldest first. */
export async function readWallets({ db }: CustodyContext, orgId: string): Promise<ReturnType<typeof toWallet>[]> {
  const rows = await db
    .selectFrom('wallets')
    .select(walletColumns)
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toWallet)
}
