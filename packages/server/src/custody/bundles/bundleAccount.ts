import type { BundleAccount } from 'latchkey-protocol'
import type { Db } from '../../platform/database/openStore.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted } from '../macs.ts'
import { findUser } from '../organizations/user.ts'

export declare namespace bundleAccount {
  type Parameters = {
    orgId: string
    userId: string
    /** Address to export. @default the first account of the wallet, or of the organization */
    address?: string | undefined
    walletId?: string | undefined
  }
}

/** Maximum number of rows to read. If all of them are forged, no address is shown. */
const maxRows = 20

/**
 * Returns the account that a frame shows for a bundle. Omits an e-mail address that was never proven by an e-mail:
 * anyone can claim an address, so the frame might show the wrong user.
 * @throws `NOT_FOUND`.
 */
export async function bundleAccount(
  context: Pick<CustodyContext, 'macKey' | 'logger'>,
  db: Db,
  parameters: bundleAccount.Parameters,
): Promise<BundleAccount> {
  const { orgId, userId } = parameters
  const { email, email_verified_at } = await findUser(context, db, { orgId, userId })
  const address = parameters.address ?? (await firstAddress(context, db, parameters))
  return {
    userId,
    ...(email !== null && email_verified_at !== null && { email }),
    ...(address !== undefined && { address }),
  }
}

async function firstAddress(
  context: Pick<CustodyContext, 'macKey' | 'logger'>,
  db: Db,
  { orgId, walletId }: bundleAccount.Parameters,
): Promise<string | undefined> {
  const rows = await db
    .selectFrom('wallet_accounts')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(walletId !== undefined, (query) => query.where('wallet_id', '=', walletId ?? ''))
    .orderBy('created_at')
    .orderBy('wallet_id')
    .orderBy('path')
    .limit(maxRows)
    .execute()
  return rows.find((row) => isTrusted(context, 'wallet_accounts', row))?.address
}
