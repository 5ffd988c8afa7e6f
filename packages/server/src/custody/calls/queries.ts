import type { CustodyContext } from '../deps.ts'
import { getActivity } from './getActivity.ts'
import { getApiKeys } from './getApiKeys.ts'
import { getAuthenticators } from './getAuthenticators.ts'
import { getOrganization } from './getOrganization.ts'
import { getUser } from './getUser.ts'
import { getWallet } from './getWallet.ts'
import { listActivities } from './listActivities.ts'
import { listPrivateKeys } from './listPrivateKeys.ts'
import { listSuborgs } from './listSuborgs.ts'
import { listUsers } from './listUsers.ts'
import { listWalletAccounts } from './listWalletAccounts.ts'
import { listWallets } from './listWallets.ts'
import { whoami } from './whoami.ts'

type Query = (context: CustodyContext, request: { headers: Headers; body: Uint8Array }) => Promise<object>

/** What `POST /public/v1/query/<name>` answers (custody protocol §§ 2.6, 2.7). */
export const queries: Readonly<Record<string, Query>> = {
  whoami,
  get_activity: getActivity,
  list_activities: listActivities,
  list_wallets: listWallets,
  list_wallet_accounts: listWalletAccounts,
  get_wallet: getWallet,
  list_private_keys: listPrivateKeys,
  get_organization: getOrganization,
  get_user: getUser,
  list_users: listUsers,
  get_authenticators: getAuthenticators,
  get_api_keys: getApiKeys,
  list_suborgs: listSuborgs,
}
