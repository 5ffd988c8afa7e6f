import type { ListWalletsResponse } from 'latchkey/wire'
import type { CustodyContext } from '../deps.ts'
import { readQuery } from './readQuery.ts'
import { readWallets } from './readWallets.ts'

/** `list_wallets`: the wallets of an organization, oldest first, for its users and those of its parent. */
export async function listWallets(
  context: CustodyContext,
  request: listWallets.Parameters,
): Promise<ListWalletsResponse> {
  const { organization } = await readQuery(context, request, {})
  return { wallets: await readWallets(context, organization.id) }
}

export declare namespace listWallets {
  type Parameters = { headers: Headers; body: Uint8Array }
}
