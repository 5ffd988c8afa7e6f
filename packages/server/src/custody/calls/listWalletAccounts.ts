import type { ListWalletAccountsResponse } from 'latchkey/wire'
import { z } from 'zod'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { idSchema } from '../schemas.ts'
import { toTimestamp } from '../toTimestamp.ts'
import { readAccounts } from '../wallets/readAccounts.ts'
import { pageSchema } from './pageSchema.ts'
import { readQuery } from './readQuery.ts'
import { readWallets } from './readWallets.ts'

const members = {
  walletId: idSchema.optional(),
  includeWalletDetails: z.boolean().optional(),
  paginationOptions: pageSchema,
}

/**
 * `list_wallet_accounts`: the addresses of one wallet, or of all wallets of an organization, oldest first, for its users
 * and those of its parent. `after` and `before` are ids of accounts.
 */
export async function listWalletAccounts(
  context: CustodyContext,
  request: listWalletAccounts.Parameters,
): Promise<ListWalletAccountsResponse> {
  const { organization, parameters } = await readQuery(context, request, members)
  const { walletId, includeWalletDetails, paginationOptions: page } = parameters
  const all = await readAccounts(context, organization.id)
  const rows = walletId === undefined ? all : all.filter((row) => row.wallet_id === walletId)
  const indexOf = (id: string | undefined, fallback: number) => {
    const index = id === undefined ? fallback : rows.findIndex((row) => row.id === id.toLowerCase())
    if (index === -1) throw custodyError('NOT_FOUND', 'No account with the id in paginationOptions.')
    return index
  }
  const start = page.after === undefined ? 0 : indexOf(page.after, 0) + 1
  const selected = rows.slice(start, indexOf(page.before, rows.length)).slice(0, page.limit)
  const wallets = includeWalletDetails ? await readWallets(context, organization.id) : []
  return {
    accounts: selected.map((row) => {
      const walletDetails = wallets.find(({ walletId }) => walletId === row.wallet_id)
      return {
        walletAccountId: row.id,
        organizationId: row.org_id,
        walletId: row.wallet_id,
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: row.path,
        addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        address: row.address,
        createdAt: toTimestamp(row.created_at),
        updatedAt: toTimestamp(row.created_at),
        publicKey: row.public_key,
        ...(row.name !== null && { name: row.name }),
        ...(walletDetails && { walletDetails }),
      }
    }),
  }
}

export declare namespace listWalletAccounts {
  type Parameters = { headers: Headers; body: Uint8Array }
}
