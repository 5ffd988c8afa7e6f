import type { CustodyContext } from '../deps.ts'
import { getActivity } from './getActivity.ts'
import { listWalletAccounts } from './listWalletAccounts.ts'
import { listWallets } from './listWallets.ts'
import { whoami } from './whoami.ts'

type Query = (context: CustodyContext, request: { headers: Headers; body: Uint8Array }) => Promise<object>

/** What `POST /public/v1/query/<name>` answers (custody protocol §§ 2.6, 2.7). */
export const queries: Readonly<Record<string, Query>> = {
  whoami,
  get_activity: getActivity,
  list_wallets: listWallets,
  list_wallet_accounts: listWalletAccounts,
}
