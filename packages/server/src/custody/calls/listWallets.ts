import type { ListWalletsResponse } from 'latchkey/wire'
import { toTimestamp } from '../activities/toTimestamp.ts'
import type { CustodyContext } from '../deps.ts'
import { readQuery } from './readQuery.ts'

/** `list_wallets`: the wallets of an organization, oldest first, for its users and those of its parent. */
export async function listWallets(
  context: CustodyContext,
  request: listWallets.Parameters,
): Promise<ListWalletsResponse> {
  const { organization } = await readQuery(context, request, {})
  const rows = await context.db
    .selectFrom('wallets')
    .select(['id', 'name', 'created_at', 'exported_at'])
    .where('org_id', '=', organization.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return {
    wallets: rows.map((row) => ({
      walletId: row.id,
      walletName: row.name,
      createdAt: toTimestamp(row.created_at),
      updatedAt: toTimestamp(row.exported_at ?? row.created_at),
      exported: row.exported_at !== null,
      imported: false,
    })),
  }
}

export declare namespace listWallets {
  type Parameters = { headers: Headers; body: Uint8Array }
}
