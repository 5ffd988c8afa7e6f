import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { idSchema } from '../schemas.ts'
import { readQuery } from './readQuery.ts'
import { toWallet, walletColumns } from './toWallet.ts'

/** `get_wallet`: one wallet of an organization, for its users and those of its parent (custody protocol § 2.7). */
export async function getWallet(
  context: CustodyContext,
  request: getWallet.Parameters,
): Promise<{ wallet: ReturnType<typeof toWallet> }> {
  const { organization, parameters } = await readQuery(context, request, { walletId: idSchema })
  const row = await context.db
    .selectFrom('wallets')
    .select(walletColumns)
    .where('org_id', '=', organization.id)
    .where('id', '=', parameters.walletId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', `Could not find wallet with id ${parameters.walletId}`)
  return { wallet: toWallet(row) }
}

export declare namespace getWallet {
  type Parameters = { headers: Headers; body: Uint8Array }
}
